//! Standings as a page.
pub(crate) fn page(_: &league::Standings) -> String {
    String::new()
}
