//! Whether everybody can be paired: a largest matching in a graph, by Edmonds' blossoms.

/// How many pairs can be made at most, where `may` says who may be paired with whom.
pub(super) fn pairs(count: usize, may: &dyn Fn(usize, usize) -> bool) -> usize {
    mates(count, may).iter().flatten().count() / 2
}

/// The partner of each when as many pairs are made as can be.
pub(super) fn mates(count: usize, may: &dyn Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut graph = Graph { count, may, mate: vec![None; count] };
    // A greedy start leaves little to do.
    for a in 0..count {
        if graph.mate[a].is_none()
            && let Some(b) = (0..count).find(|&b| b != a && graph.mate[b].is_none() && may(a, b))
        {
            graph.mate[a] = Some(b);
            graph.mate[b] = Some(a);
        }
    }
    for root in 0..count {
        if graph.mate[root].is_none() {
            graph.augment(root);
        }
    }
    graph.mate
}

struct Graph<'a> {
    count: usize,
    may: &'a dyn Fn(usize, usize) -> bool,
    mate: Vec<Option<usize>>,
}

/// The tree of alternating paths from one root.
struct Tree {
    /// For vertices at odd distance: where the path came from.
    parent: Vec<Option<usize>>,
    /// The base of the blossom a vertex has been shrunk into.
    base: Vec<usize>,
    even: Vec<bool>,
    queue: Vec<usize>,
}

impl Graph<'_> {
    /// Looks for an alternating path from a single vertex to another, and turns it over.
    fn augment(&mut self, root: usize) {
        let mut tree = Tree {
            parent: vec![None; self.count],
            base: (0..self.count).collect(),
            even: vec![false; self.count],
            queue: vec![root],
        };
        tree.even[root] = true;
        let mut head = 0;
        while head < tree.queue.len() {
            let from = tree.queue[head];
            head += 1;
            for to in 0..self.count {
                if to == from
                    || !(self.may)(from, to)
                    || tree.base[from] == tree.base[to]
                    || self.mate[from] == Some(to)
                {
                    continue;
                }
                let reached =
                    to == root || self.mate[to].is_some_and(|mate| tree.parent[mate].is_some());
                if reached {
                    // An odd circle: it counts as one vertex from now on.
                    self.shrink(&mut tree, from, to);
                } else if tree.parent[to].is_none() {
                    tree.parent[to] = Some(from);
                    match self.mate[to] {
                        None => return self.turn_over(&tree, to),
                        Some(mate) => {
                            tree.even[mate] = true;
                            tree.queue.push(mate);
                        }
                    }
                }
            }
        }
    }

    fn turn_over(&mut self, tree: &Tree, end: usize) {
        let mut at = Some(end);
        while let Some(to) = at {
            let from = tree.parent[to].expect("the path leads back to the root");
            let before = self.mate[from];
            self.mate[to] = Some(from);
            self.mate[from] = Some(to);
            at = before;
        }
    }

    fn shrink(&self, tree: &mut Tree, a: usize, b: usize) {
        let top = self.meeting_point(tree, a, b);
        let mut inside = vec![false; self.count];
        self.mark(tree, &mut inside, a, top, b);
        self.mark(tree, &mut inside, b, top, a);
        for vertex in 0..self.count {
            if inside[tree.base[vertex]] {
                tree.base[vertex] = top;
                if !tree.even[vertex] {
                    tree.even[vertex] = true;
                    tree.queue.push(vertex);
                }
            }
        }
    }

    /// Where the paths of two vertices to the root meet.
    fn meeting_point(&self, tree: &Tree, a: usize, b: usize) -> usize {
        let up = |at: usize| {
            let mate = self.mate[at]?;
            tree.parent[mate].map(|parent| tree.base[parent])
        };
        let mut seen = vec![false; self.count];
        let mut at = Some(tree.base[a]);
        while let Some(vertex) = at {
            seen[vertex] = true;
            at = up(vertex);
        }
        let mut at = tree.base[b];
        while !seen[at] {
            at = up(at).expect("both paths lead to the root");
        }
        at
    }

    /// Marks the blossoms on the way to the top, and lets paths run the other way round too.
    fn mark(&self, tree: &mut Tree, inside: &mut [bool], from: usize, top: usize, child: usize) {
        let (mut at, mut child) = (from, child);
        while tree.base[at] != top {
            let mate = self.mate[at].expect("only the root is single");
            inside[tree.base[at]] = true;
            inside[tree.base[mate]] = true;
            tree.parent[at] = Some(child);
            child = mate;
            at = tree.parent[mate].expect("the path leads to the top");
        }
    }
}

#[cfg(test)]
mod tests {
    use game::Seed;

    use super::*;

    /// By trying everything.
    fn most(count: usize, edges: &[Vec<bool>], free: u32) -> usize {
        let Some(first) = (0..count).find(|&v| free & (1 << v) != 0) else { return 0 };
        let rest = free & !(1 << first);
        let mut best = most(count, edges, rest);
        for other in (0..count).filter(|&v| rest & (1 << v) != 0 && edges[first][v]) {
            best = best.max(1 + most(count, edges, rest & !(1 << other)));
        }
        best
    }

    #[test]
    fn as_many_pairs_are_found_as_by_trying_everything() {
        let mut rng = Seed(5).rng("graphs");
        for round in 0..600 {
            let count = 2 + rng.index(9);
            let density = 1 + rng.below(9);
            let mut edges = vec![vec![false; count]; count];
            let all = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
            for (a, b) in all.filter(|_| rng.chance(density, 10)) {
                edges[a][b] = true;
                edges[b][a] = true;
            }
            let found = pairs(count, &|a, b| edges[a][b]);
            assert_eq!(found, most(count, &edges, (1 << count) - 1), "graph {round}: {edges:?}");
        }
    }
}
