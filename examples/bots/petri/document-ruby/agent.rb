#!/usr/bin/env ruby
require 'json'

while input = $stdin.gets
  data = JSON.parse(input)
  
  # Simple strategy: attack if neighbors have high energy, otherwise rest
  best_target = data['neighbors'].max_by { |dir, info| info['energy'] }
  
  if best_target[1]['energy'] > 5
    response = { action: 'attack', target: best_target[0] }
  else
    response = { action: 'rest' }
  end
  
  puts JSON.generate(response)
  $stdout.flush
end
