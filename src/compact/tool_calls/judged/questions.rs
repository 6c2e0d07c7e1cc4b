//! What a judge is asked about one call.

use serde_json::{Map, Value, json};

/// The id of the question whether a call is still worth knowing.
pub(super) fn keep_call(id: &str) -> String {
    format!("keep_call_{id}")
}

/// The id of the question whether its result is still needed.
pub(super) fn keep_result(id: &str) -> String {
    format!("keep_result_{id}")
}

/// Both questions about a call, by their ids. Together they are as long as the reference's, since
/// their length decides how many calls share a request.
pub(super) fn questions(id: &str, tool: &str) -> Map<String, Value> {
    let call = json!({
        "type": "noul",
        "instructions": format!(
            "The conversation holds the call {id} of the tool {tool}. Estimate how likely it is \
             that the agent, on its way to the goal, still has to know that it made this call and \
             what it asked for. The estimate is low where the step is over and its input matters \
             to nothing that is left."
        ),
        "criteria": {
            "true": "What was called, and with which input, still counts for the goal.",
            "false": "The step is over; the goal is reached as well without it.",
        },
    });
    let result = json!({
        "type": "noul",
        "instructions": format!(
            "The call {id} of the tool {tool} gave a result. Estimate how likely it is that the \
             agent still has to read this result word for word to reach the goal. The estimate is \
             low where the step that needed it is over and the same call would bring the same \
             result again."
        ),
        "criteria": {
            "true": "The exact result is still needed; another run would not do.",
            "false": "The result has served; the step that it was for is over.",
        },
    });
    Map::from_iter([(keep_call(id), call), (keep_result(id), result)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::python_json;

    #[test]
    fn the_questions_of_a_call_are_as_long_as_the_reference_s() {
        let chars = |id, tool| python_json(&Value::Object(questions(id, tool))).chars().count();
        assert_eq!(chars("", ""), 939);
        assert_eq!(chars("toolu_1", "Bash"), 939 + 4 * 7 + 2 * 4);
    }
}
