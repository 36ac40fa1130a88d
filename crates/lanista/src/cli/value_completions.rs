//! What shells are told beyond the commands: the games, their built-in bots and the keys of their
//! set-ups. The script that holds it asks nobody when a key is pressed.

use clap_complete::Shell;

use crate::catalogue::Catalogue;

/// The commands that name a game first, and bots after it.
const WITH_BOTS: [&str; 3] = ["play", "test", "bench"];
/// Those that name a game alone.
const WITH_GAME: [&str; 4] = ["new", "check", "games", "bots"];

/// What to add to the script that completes commands and options.
pub(crate) fn values(shell: Shell, catalogue: Catalogue) -> String {
    match shell {
        Shell::Bash => bash(catalogue),
        Shell::Zsh => zsh(catalogue),
        Shell::Fish => fish(catalogue),
        // For other shells the commands and their options have to do.
        _ => String::new(),
    }
}

fn games(catalogue: Catalogue) -> String {
    let ids: Vec<&str> = catalogue.games().iter().map(|game| game.card().id).collect();
    ids.join(" ")
}

/// The arms of a `case` over games that sets the variables `bots` and `keys`, in the words of both
/// shells.
fn arms(catalogue: Catalogue) -> String {
    let mut arms = String::new();
    for game in catalogue.games() {
        let card = game.card();
        let bots: Vec<String> = card.bots.iter().map(|b| format!("builtin:{}", b.name)).collect();
        let keys: Vec<String> = card.keys.iter().map(|key| format!("{}=", key.name)).collect();
        arms.push_str(&format!(
            "        {}) bots=\"{}\" keys=\"{}\" ;;\n",
            card.id,
            bots.join(" "),
            keys.join(" ")
        ));
    }
    arms
}

fn bash(catalogue: Catalogue) -> String {
    format!(
        r#"
# Games, built-in bots and keys of set-ups. Words are those between blanks: Bash itself also breaks them at : and =.
_lanista_values() {{
    local line="${{COMP_LINE:0:COMP_POINT}}" bots="" keys="" offered="" fit
    local -a words
    read -ra words <<< "$line"
    [[ $line == *[[:blank:]] ]] && words+=("")
    local last=$((${{#words[@]}} - 1))
    local word="${{words[last]}}"
    [[ $last -ge 2 && " {all} " == *" ${{words[1]}} "* ]] || return 1
    case "${{words[2]}}" in
{arms}    esac
    if [[ $last -eq 2 ]]; then
        offered="{games}"
    elif [[ "${{words[last - 1]}}" == --set ]]; then
        offered="$keys"
    elif [[ $word != -* && "${{words[last - 1]}}" != --* && " {with_bots} " == *" ${{words[1]}} "* ]]; then
        offered="$bots"
        # Beside bots there are the programs of this folder.
        [[ $word == b* || -z $word ]] || return 1
    fi
    [[ -n $offered ]] || return 1
    COMPREPLY=()
    # What stands before the last : or = is not a part of the word that is replaced.
    local before="${{word%"${{word##*[:=]}}"}}"
    for fit in $offered; do
        [[ $fit == "$word"* ]] && COMPREPLY+=("${{fit#"$before"}}")
    done
    [[ ${{#COMPREPLY[@]}} -gt 0 ]] || return 1
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2> /dev/null
    return 0
}}

_lanista_or_value() {{
    _lanista_values || _lanista "$@"
}}

complete -F _lanista_or_value -o bashdefault -o default lanista
"#,
        all = [&WITH_BOTS[..], &WITH_GAME].concat().join(" "),
        with_bots = WITH_BOTS.join(" "),
        arms = arms(catalogue),
        games = games(catalogue),
    )
}

fn zsh(catalogue: Catalogue) -> String {
    format!(
        r#"
# Games, built-in bots and keys of set-ups.
_lanista_values() {{
    local bots="" keys=""
    [[ $CURRENT -ge 3 && " {all} " == *" ${{words[2]}} "* ]] || return 1
    case "${{words[3]}}" in
{arms}    esac
    if [[ $CURRENT -eq 3 ]]; then
        compadd -- {games}
    elif [[ "${{words[CURRENT - 1]}}" == --set && -n $keys ]]; then
        compadd -S "" -- ${{=keys}}
    elif [[ $PREFIX != -* && "${{words[CURRENT - 1]}}" != --* && " {with_bots} " == *" ${{words[2]}} "* && -n $bots ]]; then
        compadd -- ${{=bots}}
        _files
    else
        return 1
    fi
}}

_lanista_or_value() {{
    _lanista_values || _lanista "$@"
}}

compdef _lanista_or_value lanista
"#,
        all = [&WITH_BOTS[..], &WITH_GAME].concat().join(" "),
        with_bots = WITH_BOTS.join(" "),
        arms = arms(catalogue),
        games = games(catalogue),
    )
}

fn fish(catalogue: Catalogue) -> String {
    let mut text = "\n# Games, built-in bots and keys of set-ups.\n".to_owned();
    let all = [&WITH_BOTS[..], &WITH_GAME].concat().join(" ");
    text.push_str(&format!(
        "complete -c lanista -n \"__fish_seen_subcommand_from {all}; and test (count (commandline -opc)) -eq 2\" \
         -f -a \"{}\"\n",
        games(catalogue)
    ));
    for game in catalogue.games() {
        let card = game.card();
        let of = format!(
            "__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
            WITH_BOTS.join(" "),
            card.id
        );
        for bot in card.bots {
            text.push_str(&format!(
                "complete -c lanista -n \"{of}\" -a \"builtin:{}\" -d \"{}\"\n",
                bot.name,
                quoted(bot.about)
            ));
        }
        for key in card.keys {
            text.push_str(&format!(
                "complete -c lanista -n \"{of}\" -l set -x -a \"{}=\" -d \"{}\"\n",
                key.name,
                quoted(key.about)
            ));
        }
    }
    text
}

/// A text between quotation marks in fish.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")
}
