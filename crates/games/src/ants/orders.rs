//! What ants are told to do, in the words of the protocol.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// The acid that one attack may ask for.
pub const STRENGTH: RangeInclusive<u16> = 1..=1000;

/// What one ant is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing, which restores acid.
    Rest,
    /// Turn left.
    Left,
    /// Turn right.
    Right,
    /// Go to the cell ahead.
    Forward,
    /// Spray so much acid at the cell ahead.
    Attack(u16),
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Rest => f.write_str("rest"),
            Order::Left => f.write_str("left"),
            Order::Right => f.write_str("right"),
            Order::Forward => f.write_str("forward"),
            Order::Attack(acid) => write!(f, "attack@{acid}"),
        }
    }
}

/// An order in words that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOrder {
    /// No such word.
    Unknown,
    /// An attack with a number that is out of [`STRENGTH`].
    Strength,
}

impl Order {
    /// Reads the words of the protocol.
    pub fn parse(word: &[u8]) -> Result<Order, NoOrder> {
        match word {
            b"rest" => Ok(Order::Rest),
            b"left" => Ok(Order::Left),
            b"right" => Ok(Order::Right),
            b"forward" => Ok(Order::Forward),
            _ => {
                let written = word.strip_prefix(b"attack@").ok_or(NoOrder::Unknown)?;
                if written.strip_prefix(b"-").and_then(number).is_some() {
                    return Err(NoOrder::Strength);
                }
                let acid = number(written).ok_or(NoOrder::Unknown)?;
                match u16::try_from(acid) {
                    Ok(acid) if STRENGTH.contains(&acid) => Ok(Order::Attack(acid)),
                    Ok(_) | Err(_) => Err(NoOrder::Strength),
                }
            }
        }
    }
}

/// A number of digits alone; what is too large to count is [`u64::MAX`].
pub(super) fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add((digit - b'0').into());
    Some(digits.iter().fold(0, value))
}

/// The orders of one program: who is not named rests. In files it is the protocol's own line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Orders(Vec<(u8, Order)>);

impl Orders {
    /// All rest.
    pub const REST: Orders = Orders(Vec::new());

    /// Gives an order to an ant, in the place of one it may have had.
    pub fn give(&mut self, ant: u8, order: Order) {
        match (self.0.binary_search_by_key(&ant, |(other, _)| *other), order) {
            (Ok(place), Order::Rest) => drop(self.0.remove(place)),
            (Ok(place), order) => self.0[place].1 = order,
            (Err(_), Order::Rest) => {}
            (Err(place), order) => self.0.insert(place, (ant, order)),
        }
    }

    /// Ants that do not rest, by id, and what they are told.
    pub fn list(&self) -> &[(u8, Order)] {
        &self.0
    }
}

impl fmt::Display for Orders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (ant, order)) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{ant}:{order}")?;
        }
        Ok(())
    }
}

impl From<Orders> for String {
    fn from(orders: Orders) -> String {
        orders.to_string()
    }
}

impl TryFrom<String> for Orders {
    type Error = String;

    fn try_from(text: String) -> Result<Orders, String> {
        let mut orders = Orders::REST;
        for token in text.split(',').filter(|token| !token.is_empty()) {
            let wrong = || format!("\"{token}\" is not an order");
            let (ant, word) = token.split_once(':').ok_or_else(wrong)?;
            let ant = ant.parse().map_err(|_| wrong())?;
            orders.give(ant, Order::parse(word.as_bytes()).map_err(|_| wrong())?);
        }
        Ok(orders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_kept_as_the_protocols_own_line() {
        let text = "\"0:forward,1:left,3:attack@20,41:right\"";
        let orders: Orders = serde_json::from_str(text).expect("it is sound");
        assert_eq!(orders.list()[2], (3, Order::Attack(20)));
        assert_eq!(serde_json::to_string(&orders).expect("plain data"), text);
        assert_eq!(serde_json::from_str::<Orders>("\"\"").expect("all rest"), Orders::REST);
        for wrong in ["\"0\"", "\"0:fly\"", "\"256:left\"", "\"0:attack@0\"", "\"x:left\"", "0"] {
            assert!(serde_json::from_str::<Orders>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_order_replaces_an_earlier_one_and_rest_needs_no_word() {
        let mut orders = Orders::REST;
        orders.give(2, Order::Left);
        orders.give(0, Order::Forward);
        orders.give(2, Order::Right);
        orders.give(1, Order::Rest);
        assert_eq!(orders.to_string(), "0:forward,2:right");
        orders.give(0, Order::Rest);
        assert_eq!(orders.to_string(), "2:right");
    }

    #[test]
    fn the_acid_of_an_attack_is_1_to_1000() {
        assert_eq!(Order::parse(b"attack@1"), Ok(Order::Attack(1)));
        assert_eq!(Order::parse(b"attack@0020"), Ok(Order::Attack(20)));
        assert_eq!(Order::parse(b"attack@1000"), Ok(Order::Attack(1000)));
        let beyond =
            ["attack@0", "attack@-1", "attack@1001", "attack@65537", "attack@18446744073709551617"];
        for word in beyond {
            assert_eq!(Order::parse(word.as_bytes()), Err(NoOrder::Strength), "{word}");
        }
        for word in ["attack", "attack@", "attack@-", "attack@1e3", "attack@+5", "Attack@5", ""] {
            assert_eq!(Order::parse(word.as_bytes()), Err(NoOrder::Unknown), "{word}");
        }
    }
}
