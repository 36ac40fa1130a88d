<?php
// Sends every ant to the nearest food, or to where it sees something new.

declare(strict_types=1);

require __DIR__ . '/protocol.php';

/** An order for each ant; two ants never go for the same cell. */
function move(State $state): array
{
    [$orders, $goals] = [[], []];
    $isFree = function (int $x, int $y) use (&$goals): bool {
        return !isset($goals["$x,$y"]);
    };
    foreach ($state->mine as $ant) {
        if ($state->isEnemy(...$ant->ahead()) && $ant->acid > 0) {
            $orders[$ant->id] = "attack@$ant->acid";
            continue;
        }
        $found = $state->nearest($ant, fn (int $x, int $y) => $state->isFood($x, $y) && $isFree($x, $y))
            ?? $state->nearest($ant, fn (int $x, int $y) => $state->isNews($x, $y) && $isFree($x, $y));
        if ($found !== null) {
            [$x, $y, $orders[$ant->id]] = $found;
            $goals["$x,$y"] = true;
        }
    }
    return $orders;
}

Protocol::play(move(...));
