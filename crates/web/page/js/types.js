// The types of what the page is told: films, scenes, tournaments. Nothing here runs.

/**
 * @typedef {string | number} Key
 * @typedef {number | string} Tint a seat's colour, or a colour by its name
 * @typedef {[number, number]} Point in hundredths of a cell
 * @typedef {[Tint, string, string | null]} Kind colour, name and sprite of a kind of cell
 * @typedef {{w: number, h: number, cells: Uint8Array, kinds: Kind[]}} Grid
 * @typedef {'last' | 'win' | 'held' | 'hurt'} Mark
 *
 * @typedef {object} Form exactly one of these
 * @property {number} [disc]
 * @property {[number, number, number]} [box]
 * @property {[Point, number]} [line]
 * @property {number} [text]
 * @property {[string, number]} [sprite]
 * @property {number} [card]
 * @property {number} [back]
 * @property {[number, number, Point[]]} [lattice]
 * @property {Grid} [grid]
 *
 * @typedef {object} Shape
 * @property {Key} k
 * @property {number} [z]
 * @property {Form} f
 * @property {Point} p
 * @property {Tint} [c]
 * @property {Tint} [e]
 * @property {number} [r]
 * @property {number} [o]
 * @property {string} [t]
 * @property {string} [l]
 * @property {Mark} [m]
 * @property {Key} [b]
 *
 * @typedef {object} SeatLine
 * @property {boolean} [to_act]
 * @property {boolean} [gone]
 * @property {string} [role]
 * @property {Tint} [tint]
 * @property {[string, string | number | boolean | null][]} [facts]
 *
 * @typedef {object} RawScene
 * @property {Point} size
 * @property {string} caption
 * @property {SeatLine[]} seats
 * @property {any[]} shapes
 *
 * @typedef {{name: string, side: number, paths: [string, string | null][]}} Sprite
 *
 * @typedef {object} Head
 * @property {number} film
 * @property {string} game
 * @property {{name: string, program?: string}[]} players
 * @property {number | null} eyes
 * @property {boolean} [hidden]
 * @property {Record<string, any>} [setup]
 * @property {string} [clock]
 * @property {Sprite[]} [sprites]
 * @property {string[]} [measures]
 * @property {(number | null)[][]} [values] of the measures, at the start
 * @property {number} [limit_us]
 * @property {string | number} [seed]
 * @property {RawScene} scene
 * @property {string} [lanista]
 *
 * @typedef {object} Move
 * @property {number} seat
 * @property {string} [actor]
 * @property {number} [actors] how many actors of the player this is about, where there are many
 * @property {string} text
 * @property {number} [wall_us]
 * @property {number} [cpu_us]
 * @property {number} [host_us]
 * @property {boolean} [late]
 * @property {boolean} [left] the player, or this actor of it, left the game
 *
 * @typedef {{seat: number, kind: string, words: string, actor?: string}} Fault
 * @typedef {{seat: number, topic?: string, text: string}} Note
 *
 * @typedef {object} Step
 * @property {Point} [size]
 * @property {string} [caption]
 * @property {[number, Record<string, any>][]} [seats]
 * @property {any[]} [new]
 * @property {any[]} [mod]
 * @property {Key[]} [del]
 * @property {[Key, number[]][]} [cells]
 * @property {Move[]} [moves]
 * @property {Fault[]} [faults]
 * @property {Note[]} [notes]
 * @property {string[]} [told] with eyes: what that player was told
 * @property {(number | null)[][]} [measures]
 * @property {number} [at_us]
 *
 * @typedef {object} End
 * @property {{result?: string, scores?: number[], ranks?: number[], reason?: string, steps?: number}} over
 * @property {boolean | null} [verified]
 * @property {Fault[]} [faults] after the last step
 * @property {Note[]} [notes]
 * @property {string} [why]
 */

/**
 * What others know about a game beside its film.
 * @typedef {object} About
 * @property {string} [name]
 * @property {string[]} [downloads]
 * @property {{state: 'yes' | 'no' | 'unknown', why?: string}} [verified]
 *
 * @typedef {{seat: number, dir: 'to' | 'from' | 'err' | 'info', text: string, us?: number, actor?: string}} TalkLine
 * @typedef {{steps: {step: number, lines: TalkLine[], left_out?: number}[], more?: boolean, last?: number}} Talk a page of it, up to the step `last`
 */

/**
 * What a person who plays is shown and offered.
 * @typedef {object} Offer
 * @property {string} pick
 * @property {string} label
 * @property {string} [key]
 * @property {Point} [at] its middle in the scene; without it, it is a button beside the board
 * @property {Point} [size]
 * @property {string} [unwise] why it is not wise
 * @property {string} [barred] why it is not possible
 *
 * @typedef {object} Desk
 * @property {RawScene} scene
 * @property {string[]} rules
 * @property {string} prompt
 * @property {Offer[]} offers
 * @property {number} step
 * @property {boolean} due whether something is to be picked
 * @property {string[]} picks
 * @property {number | null} left_ms
 * @property {DeskTable} table how things stand beside the game
 * @property {{seat?: number, text: string}[]} moves the last moves, as far as the player may know of them
 *
 * @typedef {'take_back' | 'pause'} Wish
 * @typedef {{asked?: [string, Wish], waits?: Wish, paused: boolean, no_take_back?: string, no_pause?: string}} DeskTable
 *
 * @typedef {{step: number, seat: number, name: string, played: string[], moves: string[], notes: string[], faults: string[], evaluation: number | null, wall_ms: number}} Advice what a bot would play
 * @typedef {{game: string, seat: number, names: string[], sprites: Sprite[], hints: string[]}} DeskAbout
 *
 * @typedef {{id: string, about: string, players: [number, number], usual: number, bots: {name: string, about: string}[], keys: {name: string, about: string}[]}} Playable
 * @typedef {{games: Playable[], found: {path: string, name: string, game: string | null}[]}} PlayChoices
 */

/**
 * @typedef {object} RunEntry
 * @property {string} id
 * @property {string} path
 * @property {string} name
 * @property {'running' | 'stopped' | 'finished'} state
 * @property {number} games
 * @property {number} [scheduled]
 * @property {(string | {name: string, game?: string, scheduled?: number | null})[]} events
 * @property {string} [error] why it cannot be read
 * @property {number} bots
 * @property {number} changed
 *
 * @typedef {{id: string, path: string, game: string | null, bots: string[], result: string | null, changed: number, error?: string}} ReplayEntry what is null was not looked at, because the file is long
 * @typedef {{id: string, game: string, bots: string[], run?: string, match?: string, began?: number, worker?: string}} LiveEntry
 * @typedef {{folder: string, version: string, runs: RunEntry[], replays: ReplayEntry[], live?: LiveEntry[], replays_total?: number, left_out?: string[]}} Index
 */

/**
 * @typedef {object} Row a bot's line of the standings
 * @property {number} rank
 * @property {string} name
 * @property {number} games
 * @property {number} wins
 * @property {number} draws
 * @property {number} losses
 * @property {number} points
 * @property {number | null} rating
 * @property {number | null} rating_error
 * @property {boolean} [anchored]
 * @property {Record<string, number>} [faults]
 * @property {string} [bot]
 * @property {{name?: string, version?: string, author?: string, country?: string} | null} [about]
 * @property {number} [byes]
 * @property {number | null} [tie_break]
 * @property {string | null} [reached]
 * @property {number} [moves]
 * @property {{mean_ms: number, p99_ms: number, slowest_ms: number, cpu_ms: number} | null} [time]
 * @property {string | null} [left]
 * @property {number} [walkovers]
 *
 * @typedef {{a: string, b: string, games: number, wins: number, draws: number, losses: number, score: number, superiority: number | null}} Pair
 * @typedef {{seat: number, score: number | null, elo: number | null, elo_error: number | null}} SeatRow
 *
 * @typedef {object} EventTable
 * @property {string} event
 * @property {string} game
 * @property {string} format
 * @property {string | number} [seed]
 * @property {number} games
 * @property {number | null} scheduled
 * @property {{played: number, of: number} | null} [rounds]
 * @property {Row[]} rows
 * @property {Pair[]} [pairs]
 * @property {SeatRow[]} [seats]
 * @property {number | null} [draw_rate]
 * @property {Record<string, number>} [tiers]
 * @property {string[]} [notes]
 * @property {string[]} [remarks] what the tables do not say, notes included
 * @property {string} [clock_words]
 * @property {Record<string, number | null>} [adjudication]
 * @property {string | null} [tie_break_name]
 * @property {any[]} [setups]
 * @property {any} [clock]
 * @property {{from: string, to: string} | null} [played]
 * @property {Round[]} [bracket] of a knockout, with what is still open
 * @property {Round[]} [round_list] groups before a bracket, or rounds of a swiss tournament
 * @property {number} [rounds_left_out] so many came before these
 *
 * @typedef {{name: string, part?: 'rounds' | 'groups' | 'bracket' | 'third' | 'upper' | 'lower' | 'final', meetings: Meeting[]}} Round
 * @typedef {{bots: (string | null)[], scores?: number[], winner?: string | null, games?: number[], bye?: boolean}} Meeting null: not known yet; with `bye` one goes on without a game
 *
 * @typedef {object} GameRow
 * @property {number} n one for the whole tournament
 * @property {number | null} [number] that of its event's schedule, which people use
 * @property {string} event
 * @property {number | null} [round]
 * @property {string[]} bots
 * @property {number[]} [scores]
 * @property {number[]} [ranks]
 * @property {string} result
 * @property {boolean} [annulled] it counts for nothing
 * @property {string} [reason]
 * @property {number} turns
 * @property {number} [setup] which of the set-ups of its event
 * @property {Record<string, number>} [faults] by kind
 * @property {Record<string, number>[]} [seat_faults] the same by seat, where there are any
 * @property {number} [ms]
 * @property {string | number} [at]
 *
 * @typedef {{games: GameRow[], next: number | null, total: number, events?: number}} GamePage and how many events the tournament has
 * @typedef {{games: number, llr: number, elo: number, low: number | null, high: number | null}} TestPoint
 */

export {};
