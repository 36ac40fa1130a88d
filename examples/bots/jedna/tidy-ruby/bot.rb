#!/usr/bin/env ruby
# frozen_string_literal: true

# A small bot for Jedna: plays the dearest card it may, keeps its wild cards for later.
#
# One JSON object a line comes in; only `request_action` is answered. Everything that is
# printed for people goes to stderr, never to stdout.

require 'json'

COLOURS = { 'r' => 'red', 'b' => 'blue', 'g' => 'green', 'y' => 'yellow' }.freeze

# What the card costs if it is still in the hand at the end.
def worth(card)
  return 50 if card.start_with?('w')

  card[1..].match?(/\A\d\z/) ? card[1..].to_i : 20
end

# The colour of most cards in the hand.
def best_colour(hand)
  COLOURS[COLOURS.keys.max_by { |letter| hand.count { |card| card.start_with?(letter) } }]
end

def choose(state)
  playable = state['playable_cards']
  if playable.empty?
    # Exactly one of these two is on offer when nothing can be played.
    return { action: state['available_actions'].include?('draw') ? 'draw' : 'pass' }
  end

  in_danger = state['other_players'].any? { |other| other['cards'] <= 2 }
  # Wild cards last, unless somebody is about to finish.
  card = playable.max_by { |code| worth(code) - (!in_danger && code.start_with?('w') ? 100 : 0) }
  return { action: 'play', card: card } unless card.start_with?('w')

  rest = state['hand'].dup
  rest.delete_at(rest.index(card))
  { action: 'play', card: card, wild_color: best_colour(rest) }
end

$stdout.sync = true
while (line = $stdin.gets)
  message = JSON.parse(line)
  case message['type']
  when 'request_action' then puts JSON.generate(choose(message['state']))
  when 'error' then warn "the host says: #{message['message']}"
  when 'game_end' then break
  end
end
