//! Desks: what a person who plays is shown and offered.
//!
//! A game makes a [`Desk`] of what the actors of one player see and of what the person has picked so far, and of
//! nothing else: what is hidden from a player cannot reach the person. Picks are words that mean something to the game
//! alone. Several of them may make one answer.

use std::any::Any;
use std::time::Duration;

use game::{ActorId, Game, PlayerId};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::hosted::{Hosted, Knowledge};
use crate::named::with_names;
use crate::parts::Entrant;
use crate::picture::{Line, Picture, Room};
use crate::question::{BotQuestion, question};
use crate::scene::{Point, Scene, Sprite};
pub use crate::wishes::DeskTable;

/// What the actors of one player see, and which of them have to act.
pub struct OwnViews<'a, G: Game> {
    /// Whose actors they are.
    pub player: PlayerId,
    /// How many players there are.
    pub players: u16,
    /// The player's living actors in ascending order, with what each of them sees.
    pub views: &'a [(ActorId, G::View)],
    /// Those that have to act now, in ascending order.
    pub due: &'a [ActorId],
    /// What everybody sees, also those who have no actor any more.
    pub public: &'a G::View,
}

impl<G: Game> OwnViews<'_, G> {
    /// The actor that is asked, in games in which a player has one alone.
    pub fn actor(&self) -> ActorId {
        let first = self.due.first().or(self.views.first().map(|(actor, _)| actor));
        first.copied().unwrap_or(ActorId(self.player.0.into()))
    }
}

/// What a person is shown and offered after some picks.
#[derive(Clone, Debug, PartialEq)]
pub struct Desk<A> {
    /// For the person.
    pub view: DeskView,
    /// What every actor due is to do, if the picks say it all. Then nothing more is offered.
    pub answers: Option<Vec<(ActorId, A)>>,
}

/// What a person sees on the desk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeskView {
    /// The state as the player knows it, with what has been picked so far.
    pub scene: Scene,
    /// The rules, for somebody who has never seen the game.
    pub rules: [String; 3],
    /// What is to be done now.
    pub prompt: String,
    /// What can be picked next.
    pub offers: Vec<Offer>,
}

/// Something that can be picked.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// What stands for it: short, without spaces, and easy to type.
    pub pick: String,
    /// What it does, in words.
    pub label: String,
    /// The key of the keyboard for it, as browsers name keys.
    pub key: Option<&'static str>,
    /// Where it lies in the scene; without a place it is a button beside it.
    pub place: Option<OfferPlace>,
    /// Whether it is wise, and whether it is allowed.
    pub advice: Advice,
}

/// A rectangle of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OfferPlace {
    /// Its middle.
    pub at: Point,
    /// Its width and height.
    pub size: Point,
}

/// Whether something that is offered is wise, and whether it is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Nothing speaks against it.
    Free,
    /// It is allowed, but this speaks against it.
    Unwise(String),
    /// It is not allowed, for this reason: shown so that nobody has to guess.
    Barred(String),
}

impl Offer {
    /// Something that can be picked, as a button.
    pub fn new(pick: impl Into<String>, label: impl Into<String>) -> Offer {
        let (pick, label) = (pick.into(), label.into());
        Offer { pick, label, key: None, place: None, advice: Advice::Free }
    }

    /// The same with a key of the keyboard.
    pub fn key(self, key: &'static str) -> Offer {
        Offer { key: Some(key), ..self }
    }

    /// The same in the scene: its middle, its width and height.
    pub fn place(self, at: Point, size: Point) -> Offer {
        Offer { place: Some(OfferPlace { at, size }), ..self }
    }

    /// The same, although this speaks against it.
    pub fn unwise(self, why: impl Into<String>) -> Offer {
        Offer { advice: Advice::Unwise(why.into()), ..self }
    }

    /// The same, but not allowed for this reason.
    pub fn barred(self, why: impl Into<String>) -> Offer {
        Offer { advice: Advice::Barred(why.into()), ..self }
    }

    /// Whether it is allowed.
    pub fn is_open(&self) -> bool {
        match self.advice {
            Advice::Free | Advice::Unwise(_) => true,
            Advice::Barred(_) => false,
        }
    }
}

impl Serialize for Offer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pick", &self.pick)?;
        map.serialize_entry("label", &self.label)?;
        if let Some(key) = self.key {
            map.serialize_entry("key", key)?;
        }
        if let Some(OfferPlace { at, size }) = self.place {
            map.serialize_entry("at", &at)?;
            map.serialize_entry("size", &size)?;
        }
        match &self.advice {
            Advice::Free => {}
            Advice::Unwise(why) => map.serialize_entry("unwise", why)?,
            Advice::Barred(why) => map.serialize_entry("barred", why)?,
        }
        map.end()
    }
}

/// The desk of any game, for whoever speaks with the person: a terminal or a page.
pub trait AnyDesk: Send {
    /// What does not change while the match is played.
    fn about(&self) -> DeskAbout;
    /// Whose desk it is.
    fn player(&self) -> PlayerId;
    /// How often the game has moved on.
    fn step(&self) -> u32;
    /// Whether something is to be done.
    fn is_due(&self) -> bool;
    /// The time for it when the desk was made, if it is limited.
    fn time(&self) -> Option<Duration>;
    /// How things stand at the table beside the game.
    fn table(&self) -> &DeskTable;
    /// Why something that the person said was not done, if that has not been told yet.
    fn news(&mut self) -> Option<String>;
    /// The last moves, as far as the player may know of them.
    fn moves(&self) -> &[DeskMove];
    /// What is shown and offered now.
    fn view(&self) -> &DeskView;
    /// What has been picked so far.
    fn picks(&self) -> &[String];
    /// Picks something, or says why it cannot be picked.
    fn pick(&mut self, pick: &str) -> Result<Picked, String>;
    /// Takes the last pick back. Whether there was one.
    fn undo(&mut self) -> bool;
    /// The question to a bot what it would do in the place of the person; or why it cannot be asked.
    fn question(&self, bot: &Entrant, think: Duration) -> Result<BotQuestion, String>;
    /// The state as a terminal shows it to this player.
    fn picture(&self, room: Room) -> Picture;
}

/// What a person's screen has to know of a match once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeskAbout {
    /// The game's name.
    pub game: &'static str,
    /// The seat of the person.
    pub seat: u16,
    /// The names of the players, by seat.
    pub names: Vec<String>,
    /// The pictures that its scenes use.
    pub sprites: &'static [Sprite],
}

/// A move that a person may know of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeskMove {
    /// Whose it was, if it was one player's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<u16>,
    /// In words.
    pub text: String,
}

/// What a pick led to.
#[derive(Debug)]
pub enum Picked {
    /// More has to be picked.
    More,
    /// The answer is complete.
    Answer(Answer),
}

/// The answer of a person, on its way to the table.
pub struct Answer(pub(crate) Box<dyn Any + Send>);

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answer")
    }
}

/// What an [`Answer`] holds: the number of steps before it, and what each actor is to do.
pub(crate) type Answered<A> = (u32, Vec<(ActorId, A)>);

/// A desk of a known game. It keeps the state for its picture and for the rules; desks are made of views.
pub(crate) struct GameDesk<G: Hosted> {
    game: G,
    config: G::Config,
    names: Vec<String>,
    player: PlayerId,
    views: Vec<(ActorId, G::View)>,
    public: G::View,
    due: Vec<ActorId>,
    step: u32,
    time: Option<Duration>,
    table: DeskTable,
    news: Option<String>,
    moves: Vec<DeskMove>,
    picks: Vec<String>,
    desk: DeskView,
}

/// What a [`GameDesk`] is made of beside the state.
pub(crate) struct DeskTerms<G: Hosted> {
    pub(crate) config: G::Config,
    pub(crate) names: Vec<String>,
    pub(crate) player: PlayerId,
    pub(crate) due: Vec<ActorId>,
    pub(crate) step: u32,
    pub(crate) time: Option<Duration>,
    pub(crate) table: DeskTable,
    pub(crate) news: Option<String>,
    pub(crate) moves: Vec<DeskMove>,
}

impl<G: Hosted> GameDesk<G> {
    /// The desk of a player in this state; `None` in a game that people cannot play.
    pub(crate) fn new(game: &G, terms: DeskTerms<G>) -> Option<GameDesk<G>> {
        let DeskTerms { config, names, player, due, step, time, table, news, moves } = terms;
        let (views, public) = views(game, player);
        let (game, picks) = (game.clone(), Vec::new());
        let players = names.len() as u16;
        let own = OwnViews { player, players, views: &views, due: &due, public: &public };
        let desk = named(desk::<G>(&own, &[])?, &names).view;
        Some(GameDesk {
            game,
            config,
            names,
            player,
            views,
            public,
            due,
            step,
            time,
            table,
            news,
            moves,
            picks,
            desk,
        })
    }

    fn after(&self, picks: &[String]) -> Option<Desk<G::Action>> {
        let GameDesk { player, views, due, public, names, .. } = self;
        let players = names.len() as u16;
        let own = OwnViews { player: *player, players, views, due, public };
        Some(named(desk::<G>(&own, picks)?, names))
    }

    /// Why an answer is not allowed, if it is not.
    fn refusal(&self, answers: &[(ActorId, G::Action)]) -> Option<String> {
        answers.iter().find_map(|(actor, action)| Some(self.game.check(*actor, action).err()?.0))
    }
}

/// What a player's actors and everybody see.
pub fn views<G: Game>(game: &G, player: PlayerId) -> (Vec<(ActorId, G::View)>, G::View) {
    let mut roles = Vec::new();
    game.cast(&mut roles);
    let own = roles.iter().filter(|role| role.player == player).map(|role| role.actor);
    let views = own.map(|actor| (actor, game.view(game::Eye::Actor(actor)))).collect();
    (views, game.view(game::Eye::Public))
}

/// The desk with the names of the players in the place of their numbers.
fn named<A>(mut desk: Desk<A>, names: &[String]) -> Desk<A> {
    for words in [&mut desk.view.scene.caption, &mut desk.view.prompt] {
        *words = with_names(words, names);
    }
    desk
}

/// The game's desk; nothing is offered to whom nothing is asked, or who has said it all.
fn desk<G: Hosted>(own: &OwnViews<'_, G>, picks: &[String]) -> Option<Desk<G::Action>> {
    let mut desk = G::desk(own, picks)?;
    if own.due.is_empty() {
        desk.answers = None;
        desk.view.prompt = waiting(&desk.view.scene, own.player);
    }
    if own.due.is_empty() || desk.answers.is_some() {
        desk.view.offers.clear();
    }
    Some(desk)
}

/// For whom a player waits, as far as its scene says who acts.
fn waiting(scene: &Scene, player: PlayerId) -> String {
    let acts = scene.seats.iter().enumerate().filter(|(_, seat)| seat.to_act);
    let others = acts.map(|(number, _)| number).filter(|number| *number != player.index());
    let others: Vec<String> = others.map(|number| format!("§{number}")).collect();
    match others.is_empty() {
        true => "waiting for the others".to_owned(),
        false => format!("waiting for {}", others.join(", ")),
    }
}

impl<G: Hosted> AnyDesk for GameDesk<G> {
    fn about(&self) -> DeskAbout {
        let card = G::card();
        DeskAbout {
            game: card.id,
            seat: self.player.0,
            names: self.names.clone(),
            sprites: G::sprites(),
        }
    }
    fn player(&self) -> PlayerId {
        self.player
    }
    fn step(&self) -> u32 {
        self.step
    }
    fn is_due(&self) -> bool {
        !self.due.is_empty()
    }
    fn time(&self) -> Option<Duration> {
        self.time
    }
    fn table(&self) -> &DeskTable {
        &self.table
    }
    fn news(&mut self) -> Option<String> {
        self.news.take()
    }
    fn moves(&self) -> &[DeskMove] {
        &self.moves
    }
    fn view(&self) -> &DeskView {
        &self.desk
    }
    fn picks(&self) -> &[String] {
        &self.picks
    }

    fn pick(&mut self, pick: &str) -> Result<Picked, String> {
        if self.due.is_empty() {
            return Err("it is not your turn".to_owned());
        }
        let offer = self.desk.offers.iter().find(|offer| offer.pick == pick);
        if let Some(Offer { advice: Advice::Barred(why), .. }) = offer {
            return Err(why.clone());
        }
        let offered = offer.is_some();
        let mut picks = self.picks.clone();
        picks.push(pick.to_owned());
        let desk = self.after(&picks);
        let answers = desk.as_ref().and_then(|desk| desk.answers.as_ref());
        if let Some(why) = answers.and_then(|answers| self.refusal(answers)) {
            return Err(why);
        }
        match desk.filter(|_| offered) {
            None => Err(format!("{} is not offered here", game::quote(pick.as_bytes()))),
            Some(Desk { answers: Some(answers), .. }) => {
                let answered: Answered<G::Action> = (self.step, answers);
                Ok(Picked::Answer(Answer(Box::new(answered))))
            }
            Some(Desk { view, answers: None }) => {
                (self.picks, self.desk) = (picks, view);
                Ok(Picked::More)
            }
        }
    }

    fn undo(&mut self) -> bool {
        let had = self.picks.pop().is_some();
        if let Some(desk) = self.after(&self.picks) {
            self.desk = desk.view;
        }
        had
    }

    fn question(&self, bot: &Entrant, think: Duration) -> Result<BotQuestion, String> {
        question(&self.game, &self.config, self.names.len(), self.player, bot, think)
    }

    fn picture(&self, room: Room) -> Picture {
        let own = self.game.draw_for(self.player, &self.names, room);
        own.unwrap_or_else(|| match G::card().knowledge {
            Knowledge::Open => self.game.draw_around(self.player, &self.names, room),
            Knowledge::Hidden => {
                Picture { head: vec![Line::plain("nothing to see")], ..Picture::default() }
            }
        })
    }
}
