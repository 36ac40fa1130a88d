//! Pairs for everybody at the least cost: a perfect matching of least weight in a complete graph,
//! by Edmonds' blossoms with a price for every vertex. All numbers are whole: the result is exact.

/// What a pair costs. Sums of them are counted in the same type.
pub(super) type EdgeCost = i128;

/// The partner of each of `count` vertices, an even number of them, so that the sum of the costs of
/// all pairs is the least there is. Costs lie between 0 and 2⁶⁰.
pub(super) fn partners(count: usize, cost: &dyn Fn(usize, usize) -> EdgeCost) -> Vec<usize> {
    debug_assert!(count.is_multiple_of(2), "an odd number cannot be paired");
    let all = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
    let most = all.map(|(a, b)| cost(a, b)).max().unwrap_or(0);
    // The heaviest matching is perfect when any pair more is worth more than all that it costs.
    let worth = (most + 1) * (count as EdgeCost + 1);
    let mut search = MatchingSearch::new(count, &|a, b| worth - cost(a, b));
    while search.grow() {}
    (1..=count).map(|vertex| search.mate[vertex] - 1).collect()
}

/// An edge between two vertices. Between blossoms it is the one of their vertices that counts.
#[derive(Clone, Copy, Default)]
struct Edge {
    from: usize,
    to: usize,
    weight: EdgeCost,
}

/// Where a vertex or blossom is in the forest of alternating paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Label {
    Free,
    /// At an even distance from a root.
    Outer,
    /// At an odd distance.
    Inner,
}

/// Vertices are numbered from 1 to `count`, blossoms from there on; 0 is none.
struct MatchingSearch {
    count: usize,
    /// The largest number in use.
    last: usize,
    edge: Vec<Vec<Edge>>,
    price: Vec<EdgeCost>,
    mate: Vec<usize>,
    /// For each, the outer vertex whose edge to it has the least slack.
    nearest: Vec<usize>,
    /// The outermost blossom that a vertex or blossom lies in.
    top: Vec<usize>,
    parent: Vec<usize>,
    /// For each blossom and vertex in it, the part of the blossom that holds the vertex.
    part_with: Vec<Vec<usize>>,
    /// The parts of each blossom, the base first, in the order of its circle.
    parts: Vec<Vec<usize>>,
    label: Vec<Label>,
    seen: Vec<usize>,
    round: usize,
    queue: std::collections::VecDeque<usize>,
}

impl MatchingSearch {
    fn new(count: usize, weight: &dyn Fn(usize, usize) -> EdgeCost) -> MatchingSearch {
        // No more than half as many blossoms as vertices exist at a time.
        let size = count + count / 2 + 2;
        let mut edge = vec![vec![Edge::default(); size]; size];
        let mut part_with = vec![vec![0; count + 1]; size];
        let mut heaviest = 0;
        for a in 1..=count {
            part_with[a][a] = a;
            for b in (1..=count).filter(|&b| b != a) {
                // Twice the weight, so that halves of slacks are whole.
                let weight = 2 * weight(a - 1, b - 1);
                edge[a][b] = Edge { from: a, to: b, weight };
                heaviest = heaviest.max(weight);
            }
        }
        let mut price = vec![0; size];
        price[1..=count].fill(heaviest / 2);
        MatchingSearch {
            count,
            last: count,
            edge,
            price,
            mate: vec![0; size],
            nearest: vec![0; size],
            top: (0..size).map(|x| if x <= count { x } else { 0 }).collect(),
            parent: vec![0; size],
            part_with,
            parts: vec![Vec::new(); size],
            label: vec![Label::Free; size],
            seen: vec![0; size],
            round: 0,
            queue: std::collections::VecDeque::new(),
        }
    }

    /// Makes the matching larger by one pair. False if everybody has a partner.
    fn grow(&mut self) -> bool {
        for x in 1..=self.last {
            self.label[x] = Label::Free;
            self.nearest[x] = 0;
        }
        self.queue.clear();
        for x in 1..=self.last {
            if self.top[x] == x && self.mate[x] == 0 {
                self.parent[x] = 0;
                self.label[x] = Label::Outer;
                self.enqueue(x);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            if self.search_tight() || self.change_prices() {
                return true;
            }
        }
    }

    fn slack(&self, edge: Edge) -> EdgeCost {
        self.price[edge.from] + self.price[edge.to] - self.edge[edge.from][edge.to].weight
    }

    /// Follows edges without slack from outer vertices. True if the matching has grown.
    fn search_tight(&mut self) -> bool {
        while let Some(from) = self.queue.pop_front() {
            if self.label[self.top[from]] == Label::Inner {
                continue;
            }
            for to in 1..=self.count {
                if self.edge[from][to].weight == 0 || self.top[from] == self.top[to] {
                    continue;
                }
                let edge = self.edge[from][to];
                if self.slack(edge) == 0 {
                    if self.follow(edge) {
                        return true;
                    }
                } else {
                    self.note_slack(from, self.top[to]);
                }
            }
        }
        false
    }

    fn note_slack(&mut self, from: usize, x: usize) {
        let nearest = self.nearest[x];
        if nearest == 0 || self.slack(self.edge[from][x]) < self.slack(self.edge[nearest][x]) {
            self.nearest[x] = from;
        }
    }

    fn find_nearest(&mut self, x: usize) {
        self.nearest[x] = 0;
        for from in 1..=self.count {
            let top = self.top[from];
            if self.edge[from][x].weight > 0 && top != x && self.label[top] == Label::Outer {
                self.note_slack(from, x);
            }
        }
    }

    /// Changes prices until an edge has no slack any more, and follows all that have none. True if
    /// the matching has grown.
    fn change_prices(&mut self) -> bool {
        let mut step = EdgeCost::MAX;
        for x in 1..=self.last {
            if self.top[x] != x {
                continue;
            }
            if x > self.count && self.label[x] == Label::Inner {
                step = step.min(self.price[x] / 2);
            }
            if self.nearest[x] != 0 {
                let slack = self.slack(self.edge[self.nearest[x]][x]);
                match self.label[x] {
                    Label::Free => step = step.min(slack),
                    Label::Outer => step = step.min(slack / 2),
                    Label::Inner => {}
                }
            }
        }
        for vertex in 1..=self.count {
            match self.label[self.top[vertex]] {
                Label::Outer => self.price[vertex] -= step,
                Label::Inner => self.price[vertex] += step,
                Label::Free => {}
            }
        }
        for blossom in self.count + 1..=self.last {
            if self.top[blossom] == blossom {
                match self.label[blossom] {
                    Label::Outer => self.price[blossom] += 2 * step,
                    Label::Inner => self.price[blossom] -= 2 * step,
                    Label::Free => {}
                }
            }
        }
        self.queue.clear();
        for x in 1..=self.last {
            let nearest = self.nearest[x];
            if self.top[x] == x
                && nearest != 0
                && self.top[nearest] != x
                && self.slack(self.edge[nearest][x]) == 0
                && self.follow(self.edge[nearest][x])
            {
                return true;
            }
        }
        for blossom in self.count + 1..=self.last {
            let spent = self.price[blossom] == 0 && self.label[blossom] == Label::Inner;
            if self.top[blossom] == blossom && spent {
                self.expand(blossom);
            }
        }
        false
    }

    /// Follows an edge without slack out of an outer blossom. True if the matching has grown.
    fn follow(&mut self, edge: Edge) -> bool {
        let (from, to) = (self.top[edge.from], self.top[edge.to]);
        match self.label[to] {
            Label::Free => {
                self.parent[to] = edge.from;
                self.label[to] = Label::Inner;
                let next = self.top[self.mate[to]];
                self.nearest[to] = 0;
                self.nearest[next] = 0;
                self.label[next] = Label::Outer;
                self.enqueue(next);
                false
            }
            Label::Outer => match self.common(from, to) {
                0 => {
                    self.augment(from, to);
                    self.augment(to, from);
                    true
                }
                common => {
                    self.shrink(from, common, to);
                    false
                }
            },
            Label::Inner => false,
        }
    }

    fn enqueue(&mut self, x: usize) {
        if x <= self.count {
            self.queue.push_back(x);
            return;
        }
        for part in self.parts[x].clone() {
            self.enqueue(part);
        }
    }

    fn set_top(&mut self, x: usize, top: usize) {
        self.top[x] = top;
        if x > self.count {
            for part in self.parts[x].clone() {
                self.set_top(part, top);
            }
        }
    }

    /// Where in the circle of a blossom a part stands, the circle turned so that it is at an even
    /// place.
    fn place_of(&mut self, blossom: usize, part: usize) -> usize {
        let parts = &mut self.parts[blossom];
        let place = parts.iter().position(|&x| x == part).expect("it is a part of the blossom");
        match place % 2 {
            1 => {
                parts[1..].reverse();
                parts.len() - place
            }
            _ => place,
        }
    }

    /// Matches x across its edge to y, and what is inside of x accordingly.
    fn set_mate(&mut self, x: usize, y: usize) {
        let edge = self.edge[x][y];
        self.mate[x] = edge.to;
        if x <= self.count {
            return;
        }
        let part = self.part_with[x][edge.from];
        let place = self.place_of(x, part);
        for at in 0..place {
            let (one, other) = (self.parts[x][at], self.parts[x][at ^ 1]);
            self.set_mate(one, other);
        }
        self.set_mate(part, y);
        self.parts[x].rotate_left(place);
    }

    /// Turns over the path from x to its root, x being matched to y.
    fn augment(&mut self, mut x: usize, mut y: usize) {
        loop {
            let before = self.top[self.mate[x]];
            self.set_mate(x, y);
            if before == 0 {
                return;
            }
            let parent = self.top[self.parent[before]];
            self.set_mate(before, parent);
            (x, y) = (parent, before);
        }
    }

    /// Where the paths of two outer blossoms to their roots meet; 0 if they have different roots.
    fn common(&mut self, mut x: usize, mut y: usize) -> usize {
        self.round += 1;
        while x != 0 || y != 0 {
            if x != 0 {
                if self.seen[x] == self.round {
                    return x;
                }
                self.seen[x] = self.round;
                x = self.top[self.mate[x]];
                if x != 0 {
                    x = self.top[self.parent[x]];
                }
            }
            std::mem::swap(&mut x, &mut y);
        }
        0
    }

    /// Makes one blossom of the circle over x, y and what their paths have in common.
    fn shrink(&mut self, x: usize, common: usize, y: usize) {
        let free = (self.count + 1..=self.last).find(|&blossom| self.top[blossom] == 0);
        let blossom = free.unwrap_or(self.last + 1);
        self.last = self.last.max(blossom);
        self.price[blossom] = 0;
        self.label[blossom] = Label::Outer;
        self.mate[blossom] = self.mate[common];
        let mut parts = vec![common];
        self.walk_up(x, common, &mut parts);
        parts[1..].reverse();
        self.walk_up(y, common, &mut parts);
        self.parts[blossom] = parts.clone();
        self.set_top(blossom, blossom);
        for other in 1..=self.last {
            self.edge[blossom][other].weight = 0;
            self.edge[other][blossom].weight = 0;
        }
        self.part_with[blossom].fill(0);
        for part in parts {
            for other in 1..=self.last {
                let candidate = self.edge[part][other];
                if candidate.weight == 0 {
                    continue;
                }
                let known = self.edge[blossom][other];
                if known.weight == 0 || self.slack(candidate) < self.slack(known) {
                    self.edge[blossom][other] = candidate;
                    self.edge[other][blossom] = self.edge[other][part];
                }
            }
            for vertex in 1..=self.count {
                if self.part_with[part][vertex] != 0 {
                    self.part_with[blossom][vertex] = part;
                }
            }
        }
        self.find_nearest(blossom);
    }

    /// The parts of a new blossom on the way from x to the top, inner ones enqueued: they are outer
    /// now.
    fn walk_up(&mut self, mut x: usize, common: usize, parts: &mut Vec<usize>) {
        while x != common {
            parts.push(x);
            let inner = self.top[self.mate[x]];
            parts.push(inner);
            self.enqueue(inner);
            x = self.top[self.parent[inner]];
        }
    }

    /// Takes an inner blossom apart whose price is spent.
    fn expand(&mut self, blossom: usize) {
        for part in self.parts[blossom].clone() {
            self.set_top(part, part);
        }
        let entry = self.part_with[blossom][self.edge[blossom][self.parent[blossom]].from];
        let place = self.place_of(blossom, entry);
        let parts = self.parts[blossom].clone();
        for at in (0..place).step_by(2) {
            let (inner, outer) = (parts[at], parts[at + 1]);
            self.parent[inner] = self.edge[outer][inner].from;
            self.label[inner] = Label::Inner;
            self.label[outer] = Label::Outer;
            self.nearest[inner] = 0;
            self.find_nearest(outer);
            self.enqueue(outer);
        }
        self.label[entry] = Label::Inner;
        self.parent[entry] = self.parent[blossom];
        for &part in &parts[place + 1..] {
            self.label[part] = Label::Free;
            self.find_nearest(part);
        }
        self.top[blossom] = 0;
    }
}

#[cfg(test)]
mod tests {
    use game::Seed;

    use super::*;

    /// By trying everything.
    fn least(costs: &[Vec<EdgeCost>], free: u32) -> EdgeCost {
        if free == 0 {
            return 0;
        }
        let first = free.trailing_zeros() as usize;
        let rest = free & !(1 << first);
        let others = (0..costs.len()).filter(|&other| rest & (1 << other) != 0);
        let sums = others.map(|other| costs[first][other] + least(costs, rest & !(1 << other)));
        sums.min().expect("there is somebody")
    }

    #[test]
    fn no_pairs_cost_less_than_those_that_are_found() {
        let mut rng = Seed(6).rng("costs");
        for round in 0..2000 {
            let count = 2 * (1 + rng.index(5));
            let range = [2, 3, 10, 1000][round % 4];
            let mut costs = vec![vec![0; count]; count];
            for (a, b) in (0..count).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let cost = EdgeCost::from(rng.below(range));
                costs[a][b] = cost;
                costs[b][a] = cost;
            }
            let partner = partners(count, &|a, b| costs[a][b]);
            let mut sum = 0;
            for (one, &other) in partner.iter().enumerate() {
                assert_eq!(partner[other], one, "graph {round}: {costs:?}");
                assert_ne!(one, other);
                sum += costs[one][other];
            }
            assert_eq!(sum / 2, least(&costs, (1 << count) - 1), "graph {round}: {costs:?}");
        }
    }

    #[test]
    fn large_fields_are_paired_too() {
        let cost = |a: usize, b: usize| {
            EdgeCost::from((a * b + a + b).is_multiple_of(7)) + (a ^ b) as EdgeCost % 5
        };
        let partner = partners(120, &cost);
        assert!(partner.iter().enumerate().all(|(one, &other)| partner[other] == one));
    }
}
