//! What changes from one scene to the next. Shapes are compared by key, seats by field, grids by cell; the order of
//! shapes within a layer is not told.

use std::collections::{HashMap, HashSet};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::{Fact, Key, Mark, Point, Scene, SeatLine, Shape, ShapeForm, Tint};

/// What turns one scene into the next of the same game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delta {
    /// The new size, if it is another.
    pub size: Option<Point>,
    /// The new caption, if it is another.
    pub caption: Option<String>,
    /// Seats of which something changed.
    pub seats: Vec<(usize, SeatChange)>,
    /// Shapes that were not there.
    pub added: Vec<Shape>,
    /// Shapes that are still there and differ.
    pub changed: Vec<ShapeChange>,
    /// Keys of shapes that are gone.
    pub removed: Vec<Key>,
    /// Changed cells of grids: the grid's key, then index and kind of every cell.
    pub cells: Vec<(Key, Vec<(u32, u8)>)>,
}

/// New values of a seat's line; `None` is unchanged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeatChange {
    /// It is asked for its next action.
    pub to_act: Option<bool>,
    /// It has left the game.
    pub gone: Option<bool>,
    /// What it is called.
    pub role: Option<String>,
    /// Its colour.
    pub tint: Option<Option<Tint>>,
    /// Its figures.
    pub facts: Option<Vec<Fact>>,
}

/// New values of a shape; `None` is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeChange {
    /// Which shape.
    pub key: Key,
    /// Its layer.
    pub layer: Option<i8>,
    /// What it looks like.
    pub form: Option<ShapeForm>,
    /// Its place.
    pub at: Option<Point>,
    /// The colour of its inside.
    pub fill: Option<Option<Tint>>,
    /// The colour of its edge.
    pub edge: Option<Option<Tint>>,
    /// Degrees, clockwise.
    pub turn: Option<i16>,
    /// Percent of its opacity that are missing.
    pub faint: Option<u8>,
    /// Letters on it.
    pub text: Option<Option<String>>,
    /// What it is, in words.
    pub label: Option<Option<String>>,
    /// Why it deserves attention.
    pub mark: Option<Option<Mark>>,
}

/// The new value, if it is another.
fn new<T: Clone + PartialEq>(before: &T, after: &T) -> Option<T> {
    (before != after).then(|| after.clone())
}

impl Delta {
    /// What turns `before` into `after`. Keys are unique in both. Where a shape comes from is told only when it is
    /// new.
    pub fn between(before: &Scene, after: &Scene) -> Delta {
        let mut delta = Delta {
            size: new(&before.size, &after.size),
            caption: new(&before.caption, &after.caption),
            ..Delta::default()
        };
        let nobody = SeatLine::default();
        for (seat, line) in after.seats.iter().enumerate() {
            let was = before.seats.get(seat).unwrap_or(&nobody);
            if was != line {
                delta.seats.push((seat, SeatChange::between(was, line)));
            }
        }
        let old: HashMap<&Key, &Shape> = before.shapes.iter().map(|one| (&one.key, one)).collect();
        let now: HashSet<&Key> = after.shapes.iter().map(|one| &one.key).collect();
        let gone = before.shapes.iter().map(|one| &one.key).filter(|key| !now.contains(key));
        delta.removed = gone.cloned().collect();
        for shape in &after.shapes {
            match old.get(&shape.key) {
                None => delta.added.push(shape.clone()),
                Some(was) => delta.compare(was, shape),
            }
        }
        delta
    }

    fn compare(&mut self, was: &Shape, is: &Shape) {
        let cells = match (&was.form, &is.form) {
            (ShapeForm::Grid(old), ShapeForm::Grid(new))
                if old.kinds == new.kinds
                    && (old.columns, old.rows) == (new.columns, new.rows)
                    && old.cells.len() == new.cells.len() =>
            {
                let pairs = old.cells.iter().zip(&new.cells).zip(0..);
                let changed = pairs.filter(|((old, new), _)| old != new);
                Some(changed.map(|((_, new), index)| (index, *new)).collect::<Vec<_>>())
            }
            _ => None,
        };
        let form = match cells {
            Some(_) => None,
            None => new(&was.form, &is.form),
        };
        self.cells.extend(cells.filter(|c| !c.is_empty()).map(|cells| (is.key.clone(), cells)));
        let change = ShapeChange {
            layer: new(&was.layer, &is.layer),
            form,
            at: new(&was.at, &is.at),
            fill: new(&was.fill, &is.fill),
            edge: new(&was.edge, &is.edge),
            turn: new(&was.turn, &is.turn),
            faint: new(&was.faint, &is.faint),
            text: new(&was.text, &is.text),
            label: new(&was.label, &is.label),
            mark: new(&was.mark, &is.mark),
            ..ShapeChange::nothing(is.key.clone())
        };
        if change != ShapeChange::nothing(is.key.clone()) {
            self.changed.push(change);
        }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Delta::default()
    }

    /// Changes `scene` accordingly. What it does not know is left alone.
    pub fn apply(&self, scene: &mut Scene) {
        scene.size = self.size.unwrap_or(scene.size);
        scene.caption = self.caption.clone().unwrap_or(std::mem::take(&mut scene.caption));
        for (seat, change) in &self.seats {
            if scene.seats.len() <= *seat {
                scene.seats.resize(seat + 1, SeatLine::default());
            }
            change.apply(&mut scene.seats[*seat]);
        }
        let removed: HashSet<&Key> = self.removed.iter().collect();
        scene.shapes.retain(|shape| !removed.contains(&shape.key));
        let places: HashMap<Key, usize> =
            scene.shapes.iter().enumerate().map(|(at, shape)| (shape.key.clone(), at)).collect();
        for change in &self.changed {
            if let Some(&place) = places.get(&change.key) {
                change.apply(&mut scene.shapes[place]);
            }
        }
        for (key, cells) in &self.cells {
            let Some(&place) = places.get(key) else { continue };
            let ShapeForm::Grid(grid) = &mut scene.shapes[place].form else { continue };
            for (index, kind) in cells {
                if let Some(cell) = grid.cells.get_mut(*index as usize) {
                    *cell = *kind;
                }
            }
        }
        scene.shapes.extend(self.added.iter().cloned());
    }

    /// Writes its fields into the object of a step.
    pub(crate) fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if let Some(size) = &self.size {
            map.serialize_entry("size", size)?;
        }
        if let Some(caption) = &self.caption {
            map.serialize_entry("caption", caption)?;
        }
        if !self.seats.is_empty() {
            map.serialize_entry("seats", &self.seats)?;
        }
        if !self.added.is_empty() {
            map.serialize_entry("new", &self.added)?;
        }
        if !self.changed.is_empty() {
            map.serialize_entry("mod", &self.changed)?;
        }
        if !self.removed.is_empty() {
            map.serialize_entry("del", &self.removed)?;
        }
        if !self.cells.is_empty() {
            let flat = |cells: &[(u32, u8)]| -> Vec<u32> {
                cells.iter().flat_map(|(index, kind)| [*index, u32::from(*kind)]).collect()
            };
            let cells: Vec<(&Key, Vec<u32>)> =
                self.cells.iter().map(|(key, cells)| (key, flat(cells))).collect();
            map.serialize_entry("cells", &cells)?;
        }
        Ok(())
    }
}

impl SeatChange {
    fn between(was: &SeatLine, is: &SeatLine) -> SeatChange {
        SeatChange {
            to_act: new(&was.to_act, &is.to_act),
            gone: new(&was.gone, &is.gone),
            role: new(&was.role, &is.role),
            tint: new(&was.tint, &is.tint),
            facts: new(&was.facts, &is.facts),
        }
    }

    fn apply(&self, line: &mut SeatLine) {
        let change = self.clone();
        set(&mut line.to_act, change.to_act);
        set(&mut line.gone, change.gone);
        set(&mut line.role, change.role);
        set(&mut line.tint, change.tint);
        set(&mut line.facts, change.facts);
    }
}

impl ShapeChange {
    fn nothing(key: Key) -> ShapeChange {
        ShapeChange {
            key,
            layer: None,
            form: None,
            at: None,
            fill: None,
            edge: None,
            turn: None,
            faint: None,
            text: None,
            label: None,
            mark: None,
        }
    }

    fn apply(&self, shape: &mut Shape) {
        let change = self.clone();
        set(&mut shape.layer, change.layer);
        set(&mut shape.form, change.form);
        set(&mut shape.at, change.at);
        set(&mut shape.fill, change.fill);
        set(&mut shape.edge, change.edge);
        set(&mut shape.turn, change.turn);
        set(&mut shape.faint, change.faint);
        set(&mut shape.text, change.text);
        set(&mut shape.label, change.label);
        set(&mut shape.mark, change.mark);
    }
}

fn set<T>(value: &mut T, new: Option<T>) {
    if let Some(new) = new {
        *value = new;
    }
}

/// Writes a new value; one that is left out of whole objects is null.
fn changed<M, T>(map: &mut M, name: &'static str, value: &Option<T>) -> Result<(), M::Error>
where
    M: serde::ser::SerializeMap,
    T: Default + PartialEq + Serialize,
{
    match value {
        None => Ok(()),
        Some(value) if *value == T::default() => map.serialize_entry(name, &()),
        Some(value) => map.serialize_entry(name, value),
    }
}

impl Serialize for SeatChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        changed(&mut map, "to_act", &self.to_act)?;
        changed(&mut map, "gone", &self.gone)?;
        if let Some(role) = &self.role {
            map.serialize_entry("role", role)?;
        }
        changed(&mut map, "tint", &self.tint)?;
        if let Some(facts) = &self.facts {
            map.serialize_entry("facts", facts)?;
        }
        map.end()
    }
}

impl Serialize for ShapeChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("k", &self.key)?;
        changed(&mut map, "z", &self.layer)?;
        if let Some(form) = &self.form {
            map.serialize_entry("f", form)?;
        }
        if let Some(at) = &self.at {
            map.serialize_entry("p", at)?;
        }
        changed(&mut map, "c", &self.fill)?;
        changed(&mut map, "e", &self.edge)?;
        changed(&mut map, "r", &self.turn)?;
        changed(&mut map, "o", &self.faint)?;
        changed(&mut map, "t", &self.text)?;
        changed(&mut map, "l", &self.label)?;
        changed(&mut map, "m", &self.mark)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CellKind, Grid};
    use super::*;
    use serde_json::json;

    fn scene(shapes: Vec<Shape>) -> Scene {
        let seat = SeatLine { role: "black".to_owned(), ..SeatLine::default() };
        Scene { shapes, seats: vec![seat], caption: "move 1".to_owned(), ..Scene::new(3, 3) }
    }

    fn land(cells: &[u8]) -> Shape {
        let kinds = vec![CellKind(Tint::Named("grass"), "grass", None); 3];
        let grid = Grid { columns: 2, rows: 1, cells: cells.to_vec(), kinds };
        Shape::new("land", ShapeForm::Grid(grid), [0, 0])
    }

    /// The object that the difference writes; applied, it gives the second scene.
    fn told(before: &Scene, after: &Scene) -> serde_json::Value {
        struct Whole(Delta);
        impl Serialize for Whole {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                self.0.write(&mut map)?;
                map.end()
            }
        }
        let delta = Delta::between(before, after);
        let mut applied = before.clone();
        delta.apply(&mut applied);
        assert_eq!(applied, *after);
        serde_json::to_value(Whole(delta)).expect("it serialises")
    }

    #[test]
    fn only_what_changed_is_told_and_null_is_not_any_more() {
        let disc = |at| Shape::new(1, ShapeForm::Disc(46), at).fill(Tint::Seat(1));
        let before = scene(vec![disc([50, 50]).mark(Mark::Last).faint(20)]);
        let mut after = scene(vec![disc([150, 50]).text("7")]);
        after.seats[0].to_act = true;
        after.seats[0].facts = vec![Fact("stones", 2.0)];
        let expected = json!({
            "seats": [[0, {"to_act": true, "facts": [["stones", 2]]}]],
            "mod": [{"k": 1, "p": [150, 50], "o": null, "t": "7", "m": null}],
        });
        assert_eq!(told(&before, &after), expected);
        assert_eq!(told(&before, &before), json!({}));
        let back = json!({
            "seats": [[0, {"to_act": null, "facts": []}]],
            "mod": [{"k": 1, "p": [50, 50], "o": 20, "t": null, "m": "last"}],
        });
        assert_eq!(told(&after, &before), back);
    }

    #[test]
    fn shapes_come_and_go_by_key_and_in_any_order() {
        let text = |key: &str| Shape::new(key, ShapeForm::Text(34), [0, 0]);
        let before = scene(vec![text("a"), text("b")]);
        let after = scene(vec![text("b"), text("c").from("a")]);
        let expected = json!({
            "new": [{"k": "c", "f": {"text": 34}, "p": [0, 0], "b": "a"}],
            "del": ["a"],
        });
        assert_eq!(told(&before, &after), expected);
        let delta = Delta::between(&before, &scene(vec![text("b"), text("a")]));
        assert!(delta.is_empty(), "{delta:?}");
    }

    #[test]
    fn where_a_shape_came_from_is_not_told_again() {
        let text = Shape::new("a", ShapeForm::Text(34), [0, 0]);
        let (before, after) = (scene(vec![text.clone().from("x")]), scene(vec![text]));
        assert!(Delta::between(&before, &after).is_empty());
    }

    #[test]
    fn a_grid_tells_single_cells_unless_it_became_another() {
        let (before, after) = (scene(vec![land(&[0, 1])]), scene(vec![land(&[0, 2])]));
        assert_eq!(told(&before, &after), json!({"cells": [["land", [1, 2]]]}));
        let wider = scene(vec![land(&[0, 1, 1])]);
        assert!(told(&before, &wider)["mod"][0]["f"]["grid"].is_object());
        let text = serde_json::to_value(&before).expect("it serialises");
        assert_eq!(text["shapes"][0]["f"]["grid"]["cells"], "ab");
    }
}
