<?php
// The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
//
// Standard output belongs to the protocol: print with fwrite(STDERR, …), which is kept in the replay.

declare(strict_types=1);

const COLORS = ['red', 'blue', 'green', 'yellow'];

/** What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4". */
final class State
{
    public readonly string $yourId;
    public readonly array $hand;
    public readonly string $topCard;
    /** Null while a turned-up wild has none. */
    public readonly ?string $topColor;
    /** "normal", "war_+2" or "war_wd4". */
    public readonly string $gameState;
    /** What passing in a war costs. */
    public readonly int $stackedCards;
    public readonly bool $alreadyPicked;
    public readonly ?string $pickedCard;
    /** Arrays with "id" and "cards", the next player first. */
    public readonly array $otherPlayers;
    public readonly array $availableActions;
    public readonly array $playableCards;

    /** @param string[] $notifications All since the game began: "player2 played b5". */
    public function __construct(array $fields, public readonly array $notifications)
    {
        $this->yourId = $fields['your_id'] ?? '';
        $this->hand = $fields['hand'] ?? [];
        $this->topCard = $fields['top_card'] ?? '';
        $this->topColor = $fields['top_color'] ?? null;
        $this->gameState = $fields['game_state'] ?? 'normal';
        $this->stackedCards = $fields['stacked_cards'] ?? 0;
        $this->alreadyPicked = $fields['already_picked'] ?? false;
        $this->pickedCard = $fields['picked_card'] ?? null;
        $this->otherPlayers = $fields['other_players'] ?? [];
        $this->availableActions = $fields['available_actions'] ?? [];
        $this->playableCards = $fields['playable_cards'] ?? [];
    }

    /** The color of most cards in the hand. */
    public function favouriteColor(): string
    {
        [$best, $most] = ['', -1];
        foreach (COLORS as $color) {
            $count = count(array_filter($this->hand, fn (string $card) => $card[0] === $color[0]));
            if ($count > $most) {
                [$best, $most] = [$color, $count];
            }
        }
        return $best;
    }
}

function isWild(string $card): bool
{
    return $card[0] === 'w';
}

/** What a card costs if it is still in the hand at the end. */
function points(string $card): int
{
    if (isWild($card)) {
        return 50;
    }
    return ctype_digit(substr($card, 1)) ? (int) substr($card, 1) : 20;
}

final class Protocol
{
    /**
     * Answers the host until the game ends. `move` returns [card, color], or null to draw a card (or to
     * pass, where drawing is not possible).
     */
    public static function play(Closure $move): void
    {
        [$notifications, $refused] = [[], false];
        while (($line = fgets(STDIN)) !== false) {
            $message = json_decode($line, true);
            switch ($message['type'] ?? '') {
                case 'request_action':
                    $state = new State($message['state'], $notifications);
                    // What was refused once would be refused again.
                    $chosen = $refused ? null : $move($state);
                    $refused = false;
                    fwrite(STDOUT, json_encode(self::answer($state, $chosen)) . "\n");
                    break;
                case 'notification':
                    $notifications[] = $message['message'];
                    break;
                case 'error':
                    $refused = true;
                    fwrite(STDERR, "refused: {$message['message']}\n");
                    break;
                case 'game_end':
                    return;
            }
        }
    }

    private static function answer(State $state, ?array $chosen): array
    {
        if ($chosen === null) {
            return ['action' => in_array('draw', $state->availableActions, true) ? 'draw' : 'pass'];
        }
        $answer = ['action' => 'play', 'card' => $chosen[0]];
        if (isWild($chosen[0])) {
            $answer['wild_color'] = $chosen[1] ?? $state->favouriteColor();
        }
        return $answer;
    }
}
