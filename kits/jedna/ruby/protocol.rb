# frozen_string_literal: true

# The protocol of jedna: reads requests, asks `move` for a card, and writes the answer.
#
# Standard output belongs to the protocol: print with `warn`, which is kept in the replay.

require 'json'

COLORS = { 'r' => 'red', 'b' => 'blue', 'g' => 'green', 'y' => 'yellow' }.freeze

# What the bot knows when it has to act. Cards are "r5", "bs" (skip), "gr" (reverse), "y+2", "wd", "wd4".
class State
  # `game_state` is "normal", "war_+2" or "war_wd4"; `stacked_cards` is what passing in a war costs;
  # `other_players` are hashes with "id" and "cards", the next one first; `notifications` are all since
  # the game began: "player2 played b5".
  attr_reader :your_id, :hand, :top_card, :top_color, :game_state, :stacked_cards, :already_picked,
              :picked_card, :other_players, :available_actions, :playable_cards, :notifications

  def initialize(state, notifications)
    @your_id, @top_card, @top_color = state.values_at('your_id', 'top_card', 'top_color')
    @game_state = state.fetch('game_state', 'normal')
    @stacked_cards = state.fetch('stacked_cards', 0)
    @already_picked, @picked_card = state.values_at('already_picked', 'picked_card')
    @hand, @other_players = state.fetch('hand', []), state.fetch('other_players', [])
    @available_actions = state.fetch('available_actions', [])
    @playable_cards = state.fetch('playable_cards', [])
    @notifications = notifications
  end

  # The color of most cards in the hand.
  def favourite_color
    COLORS[COLORS.keys.max_by { |letter| hand.count { |card| card.start_with?(letter) } }]
  end
end

def wild?(card) = card.start_with?('w')

# What a card costs if it is still in the hand at the end.
def points(card)
  return 50 if wild?(card)

  card.match?(/\A.\d\z/) ? card[1].to_i : 20
end

# One conversation with the host.
module Protocol
  # Answers the host until the game ends. The block returns { card:, color: }, or nil to draw a card
  # (or to pass, where drawing is not possible).
  def self.play
    $stdout.sync = true
    notifications = []
    refused = false
    while (line = $stdin.gets)
      next if line.strip.empty?

      message = JSON.parse(line)
      case message['type']
      when 'request_action'
        state = State.new(message['state'], notifications)
        # What was refused once would be refused again.
        chosen = refused ? nil : yield(state)
        refused = false
        puts JSON.generate(answer(state, chosen))
      when 'notification' then notifications << message['message']
      when 'error'
        refused = true
        warn "refused: #{message['message']}"
      when 'game_end' then return
      end
    end
  end

  def self.answer(state, chosen)
    return { action: state.available_actions.include?('draw') ? 'draw' : 'pass' } if chosen.nil?

    card = chosen[:card]
    return { action: 'play', card: card } unless wild?(card)

    { action: 'play', card: card, wild_color: chosen[:color] || state.favourite_color }
  end
end
