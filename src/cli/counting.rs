//! Token counts that a command waits for.

use std::thread;

use crate::app::counts::{Counts, Piece};
use crate::session::Session;
use crate::shell::workers::count_piece;
use crate::tokens::Method;

/// Counts what is not counted yet, on as many threads as there are cores.
pub fn count(session: &Session, pieces: Vec<Piece>, method: Method, counts: &mut Counts) {
    let pieces: Vec<Piece> =
        pieces.into_iter().filter(|piece| counts.get(piece).is_none()).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let counted = thread::scope(|scope| {
        let share = pieces.len().div_ceil(threads).max(1);
        let threads: Vec<_> = pieces
            .chunks(share)
            .map(|pieces| {
                scope.spawn(move || {
                    let count = |piece: &Piece| count_piece(session, piece.clone(), method);
                    pieces.iter().map(count).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    counted.into_iter().for_each(|(piece, tokens)| counts.insert(piece, tokens));
}
