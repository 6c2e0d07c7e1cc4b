//! Where everything is on the screen: one pure function of its size.

use ratatui::layout::Rect;

/// The panes that can have the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    List,
    Detail,
    Why,
}

impl Pane {
    pub const ALL: [Pane; 3] = [Pane::List, Pane::Detail, Pane::Why];

    pub fn next(self) -> Pane {
        Pane::ALL[(self as usize + 1) % Pane::ALL.len()]
    }

    pub fn previous(self) -> Pane {
        Pane::ALL[(self as usize + Pane::ALL.len() - 1) % Pane::ALL.len()]
    }
}

/// The rectangles of a screen; one that has no room is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Panes {
    pub top: Rect,
    pub list: Rect,
    pub detail: Rect,
    pub why: Rect,
    pub knobs: Rect,
    pub footer: Rect,
}

impl Panes {
    pub fn of(&self, pane: Pane) -> Rect {
        match pane {
            Pane::List => self.list,
            Pane::Detail => self.detail,
            Pane::Why => self.why,
        }
    }
}

/// Columns from which list and detail stand side by side.
const WIDE: u16 = 100;
/// Rows from which the bars may have a line more.
const TALL: u16 = 20;

/// Divides the screen; with `alone`, that pane takes the place of all three.
pub fn panes(area: Rect, alone: Option<Pane>) -> Panes {
    let mut rest = area;
    let narrow = area.width < WIDE;
    let top = match area.height {
        0..6 => 1,
        6..TALL => 2,
        _ => 3,
    };
    let top = cut_top(&mut rest, top);
    let footer = cut_bottom(&mut rest, u16::from(area.height >= 3));
    let knobs = cut_bottom(&mut rest, u16::from(area.height >= 6));
    let mut panes = Panes { top, footer, knobs, ..Panes::default() };
    match alone {
        Some(Pane::List) => panes.list = rest,
        Some(Pane::Detail) => panes.detail = rest,
        Some(Pane::Why) => panes.why = rest,
        None if narrow => stack(rest, &mut panes),
        None => side_by_side(rest, &mut panes),
    }
    panes
}

/// List above; detail and why below it, as far as there are rows for them.
fn stack(mut rest: Rect, panes: &mut Panes) {
    if rest.height >= 16 {
        let height = rest.height / 4;
        panes.why = cut_bottom(&mut rest, height);
    }
    if rest.height >= 9 {
        let height = rest.height * 2 / 5;
        panes.detail = cut_bottom(&mut rest, height);
    }
    panes.list = rest;
}

/// List on the left; detail over why on the right.
fn side_by_side(rest: Rect, panes: &mut Panes) {
    let list = rest.width * 54 / 100;
    panes.list = Rect { width: list, ..rest };
    let mut right = Rect { x: rest.x + list, width: rest.width - list, ..rest };
    if right.height >= 12 {
        let height = (right.height / 3).clamp(6, 12);
        panes.why = cut_bottom(&mut right, height);
    }
    panes.detail = right;
}

fn cut_top(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    let cut = Rect { height, ..*rest };
    rest.y += height;
    rest.height -= height;
    cut
}

fn cut_bottom(rest: &mut Rect, height: u16) -> Rect {
    let height = height.min(rest.height);
    rest.height -= height;
    Rect { y: rest.y + rest.height, height, ..*rest }
}

/// The inside of a bordered pane.
pub fn inside(pane: Rect) -> Rect {
    if pane.width < 2 || pane.height < 2 {
        return Rect { width: 0, height: 0, ..pane };
    }
    Rect { x: pane.x + 1, y: pane.y + 1, width: pane.width - 2, height: pane.height - 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panes_of_any_size_cover_it_once() {
        for width in 0..130 {
            for height in 0..45 {
                for alone in [None, Some(Pane::List), Some(Pane::Detail), Some(Pane::Why)] {
                    let panes = panes(Rect::new(0, 0, width, height), alone);
                    let all =
                        [panes.top, panes.list, panes.detail, panes.why, panes.knobs, panes.footer];
                    let covered: u32 = all.iter().map(|rect| rect.area()).sum();
                    assert_eq!(covered, u32::from(width) * u32::from(height), "{width}x{height}");
                }
            }
        }
    }

    #[test]
    fn the_detail_is_beside_the_list_on_a_wide_screen_and_under_it_on_a_narrow_one() {
        let wide = panes(Rect::new(0, 0, 120, 40), None);
        assert_eq!((wide.detail.x, wide.detail.y), (wide.list.right(), wide.list.y));
        let narrow = panes(Rect::new(0, 0, 80, 24), None);
        assert_eq!((narrow.detail.x, narrow.detail.y), (0, narrow.list.bottom()));
        assert!(narrow.list.height >= 6 && narrow.detail.height >= 4 && narrow.why.height >= 4);
    }
}
