<?php
// Gets rid of the dearest card, and keeps wild cards for later.

declare(strict_types=1);

require __DIR__ . '/protocol.php';

/** The dearest card that may be played, wild ones last; null draws (or passes). */
function move(State $state): ?array
{
    [$best, $most] = [null, -1];
    foreach ($state->playableCards as $card) {
        $value = isWild($card) ? 0 : 100 + points($card);
        if ($value > $most) {
            [$best, $most] = [$card, $value];
        }
    }
    return $best === null ? null : [$best, $state->favouriteColor()];
}

Protocol::play(move(...));
