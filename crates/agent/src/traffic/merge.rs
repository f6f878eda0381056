//! Rows of several lists in one order, without all of them in memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::failure::Outcome;

/// A list whose rows come in ascending order.
pub(super) trait Ordered {
    /// A row; no two lists have the same.
    type Row: Ord;

    /// The next row.
    ///
    /// # Errors
    /// It can't be read.
    fn next(&mut self) -> Outcome<Option<Self::Row>>;
}

/// Gives every row of the lists to `each`, in ascending order.
///
/// # Errors
/// Those of the lists and of `each`.
pub(super) fn merge<L: Ordered>(
    mut lists: Vec<L>,
    mut each: impl FnMut(L::Row) -> Outcome<()>,
) -> Outcome<()> {
    let mut heads = BinaryHeap::with_capacity(lists.len());
    for (place, list) in lists.iter_mut().enumerate() {
        heads.extend(list.next()?.map(|row| Reverse((row, place))));
    }
    while let Some(Reverse((row, place))) = heads.pop() {
        each(row)?;
        heads.extend(lists[place].next()?.map(|row| Reverse((row, place))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Ordered for std::vec::IntoIter<u32> {
        type Row = u32;

        fn next(&mut self) -> Outcome<Option<u32>> {
            Ok(Iterator::next(self))
        }
    }

    #[test]
    fn rows_of_all_lists_come_in_order() {
        let lists = [vec![1, 4, 9], vec![], vec![2, 3, 10, 11]].map(Vec::into_iter);
        let mut merged = Vec::new();
        merge(lists.into(), |row| {
            merged.push(row);
            Ok(())
        })
        .unwrap();
        assert_eq!(merged, [1, 2, 3, 4, 9, 10, 11]);
    }
}
