//! What the host asks of a template, as bytes.

use super::order::CageOrder;

/// Which cage a bot is started in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CageChoice {
    /// A new one, which is taken down after it.
    Once,
    /// A new one, which the template keeps under this number.
    Keep(u32),
    /// The one that is kept under this number.
    Again(u32),
}

/// What a template is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplateOrder {
    /// To start a bot.
    Start(CageChoice, Box<CageOrder>),
    /// To make the cage of this number ready for the next bot: the last one has ended.
    Clean(u32),
    /// To forget the cage of this number, which is taken down.
    Forget(u32),
}

impl TemplateOrder {
    /// The bytes that say what to start where.
    pub(crate) fn start(choice: CageChoice, order: &CageOrder) -> Vec<u8> {
        let (kind, number) = match choice {
            CageChoice::Once => (0, 0),
            CageChoice::Keep(number) => (1, number),
            CageChoice::Again(number) => (2, number),
        };
        [&head(kind, number)[..], &order.encode()].concat()
    }

    /// The bytes that say that a bot has ended.
    pub(crate) fn clean(number: u32) -> [u8; HEAD] {
        head(3, number)
    }

    /// The bytes that say that a cage is taken down.
    pub(crate) fn forget(number: u32) -> [u8; HEAD] {
        head(4, number)
    }

    /// Reads it back. `None` if it is cut short or means nothing.
    pub(crate) fn decode(bytes: &[u8]) -> Option<TemplateOrder> {
        let (kind, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let number = u32::from_le_bytes(*number);
        let choice = match u32::from_le_bytes(*kind) {
            0 => CageChoice::Once,
            1 => CageChoice::Keep(number),
            2 => CageChoice::Again(number),
            3 => return rest.is_empty().then_some(TemplateOrder::Clean(number)),
            4 => return rest.is_empty().then_some(TemplateOrder::Forget(number)),
            _ => return None,
        };
        Some(TemplateOrder::Start(choice, Box::new(CageOrder::decode(rest)?)))
    }
}

/// So many bytes say what is asked for, and of which cage.
const HEAD: usize = 8;

fn head(kind: u32, number: u32) -> [u8; HEAD] {
    (u64::from(kind) | u64::from(number) << 32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_a_template_arrives_as_it_was_sent() {
        let order = CageOrder { dir: "/srv".into(), ..CageOrder::default() };
        for choice in [CageChoice::Once, CageChoice::Keep(7), CageChoice::Again(u32::MAX)] {
            let bytes = TemplateOrder::start(choice, &order);
            let read = TemplateOrder::Start(choice, Box::new(order.clone()));
            assert_eq!(TemplateOrder::decode(&bytes), Some(read));
            for length in 0..bytes.len() {
                assert_eq!(TemplateOrder::decode(&bytes[..length]), None, "{length}");
            }
        }
        let read = TemplateOrder::decode;
        assert_eq!(read(&TemplateOrder::clean(9)), Some(TemplateOrder::Clean(9)));
        assert_eq!(read(&TemplateOrder::forget(9)), Some(TemplateOrder::Forget(9)));
        assert_eq!(read(&head(5, 0)), None);
    }
}
