import { editorEngines } from '../src/listings/fields/editor.ts'
import type { Entry } from './catalog.ts'

const [EDITOR] = editorEngines

const solo = { net: 'offline', players_min: 1, players_max: 1 } as const
const pad = ['keyboard_mouse', 'gamepad'] as const

/** Games and applications. */
// biome-ignore format: a catalog reads better when an entry is a few lines
export const worlds: Entry[] = [
  {
    slug: 'tidewrack', by: 'saltworks', name: 'Tidewrack', status: 'released', days_ago: 84,
    press: true, anonymous: true,
    tagline: 'Salvage a drowned coast, one tide at a time.',
    story:
      'Twice a day the sea gives the town back. You have six minutes of low water to walk the ' +
      'old streets, pull what still floats, and be home before the bell.',
    points: [
      'Read the water: every tide uncovers another street', 'Build your boat from what others lost',
      'Fifteen minutes a tide, and a town that remembers each one',
    ],
    look: { scene: 'waves', palette: 'tide', lettering: 'heavy' },
    taxonomy: {
      genres: ['adventure', 'survival'],
      tags: ['sailing', 'exploration', 'hand-drawn', 'sea', 'salvage'], tone: ['cozy', 'serious'],
      inputs: [...pad, 'touch'], engines: [EDITOR], session_bucket: '15m', ...solo,
      authorship: 'human', authorship_credit: 'Drawn, written and coded by three people in a shed',
    },
    builds: [
      {
        version: '1.0.0', on: ['windows', 'linux'], engine_version: '4.2', title: 'Launch',
        changes: ['The whole coast'], health: 'healthy',
      },
      {
        version: '1.1.0', on: ['windows', 'linux', 'macos'], engine_version: '4.3',
        title: 'The harbour update',
        changes: [
          'A second boat to build', 'Fog that means something', 'Controllers keep their mapping',
        ],
        health: 'healthy',
      },
      {
        version: '1.2.1', on: ['windows', 'linux', 'macos', 'web'], engine_version: '4.3',
        title: 'Spring tide',
        changes: [
          'Spring tides uncover the old lighthouse', 'Saves are half as large',
          'Fixed: the bell rang while paused',
        ],
        health: 'excellent',
      },
      {
        version: '1.3.0-beta.2', on: ['windows', 'linux'], channel: 'beta', engine_version: '4.4',
        title: 'Night boats', changes: ['Lanterns'], health: 'mixed',
      },
    ],
    liked: [9, 0.9], community: ['low-poly-sea', 'one-more-tide'],
    stores: ['store_02', 'store_04'],
  },
  {
    slug: 'cinder-pass', by: 'northlight-club', name: 'Cinder Pass', status: 'released',
    days_ago: 200, price_cents: 1499, press: true,
    tagline: 'Carry the last fire over a mountain that wants it out.',
    story:
      'A climbing game about warmth. Every step costs a little fire; every camp gives a little ' +
      'back. Four friends can carry more than one.',
    points: [
      'Climb alone or in a rope team of four', 'Weather you can read three ridges ahead',
      'No combat. The mountain is enough',
    ],
    look: { scene: 'mountains', palette: 'dusk', lettering: 'stencil' },
    taxonomy: {
      genres: ['adventure', 'survival'],
      tags: ['climbing', 'co-op', 'mountains', 'fire', 'weather', 'atmospheric'],
      tone: ['tense', 'serious'], inputs: [...pad], engines: ['kiln'], session_bucket: '1h',
      net: 'local_online', players_min: 1, players_max: 4, authorship: 'human',
    },
    editions: [
      {
        slug: 'standard', name: 'Cinder Pass', description: 'The game.', kind: 'standard',
        price_cents: 1499,
      },
      {
        slug: 'deluxe', name: 'With the ascent book',
        description: 'The game, the soundtrack and a book of routes.', kind: 'deluxe',
        price_cents: 2299,
      },
    ],
    builds: [
      {
        version: '2.0', on: ['windows'], title: 'Rope teams', changes: ['Up to four players'],
        health: 'mixed',
      },
      {
        version: '2.1', on: ['windows', 'linux'], title: 'Better knots',
        changes: ['Ropes no longer pass through ice', 'Saves in the cloud'], health: 'healthy',
      },
    ],
    liked: [7, 0.8],
  },
  {
    slug: 'little-foundry', by: 'quiet-machines', name: 'Little Foundry', status: 'development',
    days_ago: 40, anonymous: true,
    tagline: 'A factory the size of a table, and no hurry at all.',
    story:
      'Lay belts, pour metal, watch it work. Little Foundry fits on one screen and never asks ' +
      'you to grow.',
    points: [
      'A hundred small puzzles of heat and timing', 'Share a foundry as one line of text',
      'Runs in the browser',
    ],
    look: { scene: 'blocks', palette: 'moss', lettering: 'thin' },
    taxonomy: {
      genres: ['management', 'puzzle'],
      tags: ['factory', 'automation', 'isometric', 'cozy-builder'], tone: ['relaxing', 'wholesome'],
      inputs: ['keyboard_mouse', 'touch'], engines: ['svc-engine'], session_bucket: '15m', ...solo,
      authorship: 'human_agent', authorship_credit: 'Code reviewed by agents, art by hand',
      ai_uses: ['code'],
    },
    builds: [
      {
        version: '0.8.0', on: ['web', 'linux'], engine_version: '2.1', title: 'Moulds',
        changes: ['Pour into moulds'], health: 'healthy',
      },
      {
        version: '0.9.0', on: ['web', 'linux', 'windows'], engine_version: '2.2', title: 'Sharing',
        changes: ['Foundries as one line of text', 'Undo, at last'], health: 'excellent',
      },
    ],
    liked: [6, 1], community: ['zen', 'just-watching'],
  },
  {
    slug: 'orbital-picnic', by: 'tidepool-toys', name: 'Orbital Picnic', status: 'released',
    days_ago: 12,
    tagline: 'Throw sandwiches around planets with your children.',
    story:
      'A physics toy for small hands: pull, let go, and gravity does the rest. Everything that ' +
      'flies comes back eventually.',
    points: [
      'One finger is enough', 'Forty planets with a mood of their own', 'Two players on one screen',
    ],
    look: { scene: 'circles', palette: 'candy', lettering: 'heavy' },
    taxonomy: {
      genres: ['casual', 'arcade'], tags: ['physics', 'kids', 'gravity', 'couch', 'space'],
      tone: ['funny', 'wholesome'], inputs: ['touch', 'keyboard_mouse', 'gamepad'],
      engines: [EDITOR], session_bucket: '15m', net: 'local', players_min: 1, players_max: 2,
      authorship: 'human',
    },
    builds: [
      {
        version: '1.0.2', on: ['windows', 'android', 'web'], engine_version: '4.3',
        title: 'Forty planets', changes: ['Five new planets', 'Crumbs'], health: 'excellent',
      },
    ],
    liked: [5, 1],
  },
  {
    slug: 'moth-and-lantern', by: 'papermoth', name: 'Moth & Lantern', status: 'released',
    days_ago: 320, price_cents: 799,
    tagline: 'An eight-bit platformer that is only lit where you are.',
    story:
      'You are the moth. You are also, for a moment at a time, the light. Ninety rooms, no map, ' +
      'one melody.',
    points: ['Ninety hand-made rooms', 'Light is your health, your key and your clock'],
    look: { scene: 'sprites', palette: 'ember', lettering: 'fast' },
    taxonomy: {
      genres: ['platformer'], tags: ['pixel-art', 'precision', 'metroidvania', 'light', 'retro'],
      tone: ['dark', 'weird'], inputs: ['gamepad', 'keyboard_mouse'], engines: ['paperclip'],
      session_bucket: '1h', ...solo, authorship: 'human',
    },
    builds: [
      {
        version: '1.4', on: ['windows', 'macos', 'linux'], title: 'Assist',
        changes: ['Assist mode with a slower moth', 'Fixed room 61'], health: 'excellent',
      },
    ],
    liked: [8, 0.85], press: true,
  },
  {
    slug: 'saltwind', by: 'saltworks', name: 'Saltwind', status: 'development', days_ago: 21,
    tagline: 'A trading run between the rings of a patient planet.',
    story:
      'Long burns, short conversations. Saltwind is a space trading game where the distances are ' +
      'honest and the company is good.',
    points: [
      'Plan a burn, then cook dinner', 'Two hundred ports, each with one thing it will not sell',
    ],
    look: { scene: 'stars', palette: 'neon', lettering: 'tall' },
    taxonomy: {
      genres: ['simulation', 'rpg'],
      tags: ['space', 'trading', 'slow', 'narrative', 'sandbox-economy'],
      tone: ['relaxing', 'weird'], inputs: ['keyboard_mouse', 'gamepad'], engines: [EDITOR],
      session_bucket: '3h', ...solo, authorship: 'human_agent', ai_uses: ['text', 'code'],
    },
    builds: [
      {
        version: '0.4.0', on: ['linux', 'windows'], engine_version: '4.3', title: 'First ports',
        changes: ['Eleven ports'], health: 'healthy',
      },
      {
        version: '0.5.0', on: ['linux', 'windows'], engine_version: '4.4', title: 'Rings',
        changes: ['The outer ring', 'Fuel has a smell now'], health: 'problematic',
      },
    ],
    liked: [4, 0.5],
  },
  {
    slug: 'rainlight-district', by: 'northlight-club', name: 'Rainlight District',
    status: 'released', days_ago: 150, price_cents: 1999,
    tagline: 'A detective story in one wet street.',
    story:
      'Eleven flats, one night, and everybody saw something. Ask in any order. The rain answers ' +
      'too.',
    points: ['A case that fits an evening', 'Nobody lies twice about the same thing'],
    look: { scene: 'city', palette: 'paper', lettering: 'heavy' },
    taxonomy: {
      genres: ['visual-novel', 'adventure'],
      tags: ['detective', 'noir', 'rain', 'mystery', 'story-rich'], tone: ['dark', 'serious'],
      inputs: ['keyboard_mouse', 'gamepad', 'touch'],
      content_warnings: ['violence', 'language', 'drugs'], engines: ['storyloom'],
      session_bucket: '3h', ...solo, authorship: 'human',
    },
    builds: [
      {
        version: '1.0.4', on: ['windows', 'macos'], title: 'The landlord',
        changes: ['The landlord answers the door', 'Subtitles in twelve sizes'], health: 'healthy',
      },
    ],
    liked: [6, 0.83], press: true,
  },
  {
    slug: 'mycel', by: 'papermoth', name: 'Mycel', status: 'prototype', days_ago: 6,
    anonymous: true,
    tagline: 'Grow under a forest and listen to it gossip.',
    story:
      'A small strategy game about roots, debts and mushrooms. Made in nine days; the forest has ' +
      'opinions about that.',
    look: { scene: 'forest', palette: 'coral', lettering: 'stencil' },
    taxonomy: {
      genres: ['strategy', 'simulation'], tags: ['forest', 'mushrooms', 'minimal', 'jam'],
      tone: ['cozy', 'weird'], inputs: ['keyboard_mouse'], engines: ['crabshell'],
      session_bucket: '15m', ...solo, authorship: 'agent_heavy',
      ai_uses: ['art', 'audio', 'code', 'text'],
    },
    builds: [
      {
        version: '0.1.3', on: ['web', 'linux'], title: 'Spores', changes: ['Rain carries further'],
        health: 'unrated',
      },
    ],
    liked: [2, 1],
  },
  {
    slug: 'loopwright', by: 'quiet-machines', name: 'Loopwright', status: 'released', days_ago: 62,
    tagline: 'Route one endless line through a board that argues back.',
    story:
      'A puzzle you can hold in your head on a train. Turn tiles until everything that begins ' +
      'also ends.',
    points: ['Daily board, the same for everybody', 'Color-blind and one-handed by design'],
    look: { scene: 'maze', palette: 'deep', lettering: 'thin' },
    taxonomy: {
      genres: ['puzzle'], tags: ['daily', 'logic', 'minimal', 'one-handed'], tone: ['relaxing'],
      inputs: ['touch', 'keyboard_mouse'], engines: ['svc-engine'], session_bucket: '15m', ...solo,
      authorship: 'human',
    },
    builds: [
      {
        version: '3.2.0', on: ['web', 'android', 'windows'], engine_version: '2.2',
        title: 'Dailies', changes: ['Yesterday can be finished today'], health: 'healthy',
      },
    ],
    liked: [5, 0.8], community: ['commute', 'brain-rest'],
  },
  {
    slug: 'night-freight', by: 'northlight-club', name: 'Night Freight', status: 'released',
    days_ago: 95, price_cents: 999,
    tagline: 'Deliver strange cargo before the sun comes up.',
    story:
      'A racing game where nobody races you. The road is long, the radio is honest, and the ' +
      'boxes hum.',
    look: { scene: 'road', palette: 'neon', lettering: 'fast' },
    taxonomy: {
      genres: ['racing', 'action'], tags: ['driving', 'synth', 'night', 'arcade-handling'],
      tone: ['tense', 'weird'], inputs: ['gamepad', 'keyboard_mouse'],
      content_warnings: ['flashing_lights'], engines: ['northwind'], session_bucket: '1h',
      net: 'online', players_min: 1, players_max: 8, authorship: 'human',
    },
    builds: [
      {
        version: '1.6', on: ['windows', 'linux'], title: 'Radio',
        changes: ['Four hours of new radio'], health: 'mixed',
      },
    ],
    liked: [6, 0.66],
  },
  {
    slug: 'hearts-of-brine', by: 'saltworks', name: 'Hearts of Brine', status: 'development',
    days_ago: 33,
    tagline: 'A card game of crews, grudges and bad weather.',
    story:
      'Draft a crew, keep their secrets, and put to sea with people who have every reason to ' +
      'leave you there.',
    points: [
      'Three hundred cards, no random boosters', 'Plays alone, or with a friend on the sofa',
    ],
    look: { scene: 'cards', palette: 'rust', lettering: 'fast' },
    taxonomy: {
      genres: ['card', 'strategy', 'roguelike'],
      tags: ['deckbuilder', 'pirates', 'turn-based', 'crew'], tone: ['funny', 'tense'],
      inputs: ['keyboard_mouse', 'touch'], content_warnings: ['gambling', 'language'],
      engines: [EDITOR], session_bucket: '1h', net: 'local', players_min: 1, players_max: 2,
      authorship: 'human',
    },
    builds: [
      {
        version: '0.7.2', on: ['windows', 'linux', 'macos'], engine_version: '4.3',
        title: 'Grudges', changes: ['Crews remember across runs', 'A storm deck'],
        health: 'healthy',
      },
    ],
    liked: [5, 0.8],
  },
  {
    slug: 'tilefold', by: 'papermoth', name: 'Tilefold', status: 'released', days_ago: 240,
    price_cents: 499,
    tagline: 'Fold the board so that the pattern was always there.',
    story: 'An origami puzzle with two hundred boards and a gentle sense of humor.',
    look: { scene: 'panels', palette: 'lime', lettering: 'tall' },
    taxonomy: {
      genres: ['puzzle', 'casual'], tags: ['origami', 'patterns', 'minimal', 'relaxing-puzzle'],
      tone: ['relaxing'], inputs: ['touch', 'keyboard_mouse'], engines: [EDITOR],
      session_bucket: '15m', ...solo, authorship: 'human',
    },
    builds: [
      {
        version: '2.0.1', on: ['windows', 'android', 'macos'], engine_version: '4.2',
        title: 'Two hundred', changes: ['Fifty boards more'], health: 'excellent',
      },
    ],
    liked: [4, 1],
  },
  {
    slug: 'harbour-radio', by: 'quiet-machines', name: 'Harbour Radio', asset_type: 'application',
    status: 'released', days_ago: 110, anonymous: true,
    tagline: 'Sea weather, foghorns and slow music for your desk.',
    story:
      'An ambient player that mixes live sea weather with recordings of eleven harbours. No ' +
      'account, no feed, no numbers.',
    look: { scene: 'waves', palette: 'frost', lettering: 'wide' },
    taxonomy: {
      genres: ['utility'], tags: ['ambient', 'music', 'focus', 'weather'], tone: ['relaxing'],
      inputs: ['keyboard_mouse'], authorship: 'human',
    },
    builds: [
      {
        version: '1.8', on: ['windows', 'macos', 'linux'], title: 'Eleven harbours',
        changes: ['Two new harbours', 'A sleep timer'], health: 'excellent',
      },
    ],
    liked: [3, 1],
  },
  {
    slug: 'velvet-hours', by: 'papermoth', name: 'Velvet Hours', status: 'released', days_ago: 70,
    adult: true, price_cents: 1299,
    tagline: 'A romance for grown-ups, told in letters.',
    story: 'Two people, one city, forty letters. For adults.',
    look: { scene: 'circles', palette: 'dusk', lettering: 'thin' },
    taxonomy: {
      genres: ['visual-novel'], tags: ['romance', 'letters', 'story-rich'], tone: ['serious'],
      inputs: ['keyboard_mouse'], content_warnings: ['sexual', 'nudity'], engines: ['storyloom'],
      session_bucket: '3h', ...solo, authorship: 'human',
    },
    builds: [
      { version: '1.1', on: ['windows', 'linux'], title: 'Forty letters', health: 'healthy' },
    ],
    liked: [3, 1],
  },
  {
    slug: 'glacier-post', by: 'saltworks', name: 'Glacier Post', status: 'prototype', days_ago: 2,
    visibility: 'draft',
    tagline: 'Deliver mail by dog sled to people who do not want it.',
    story: 'An early draft: the dogs work, the mail does not.',
    look: { scene: 'mountains', palette: 'frost', lettering: 'wide' },
    taxonomy: {
      genres: ['simulation'], tags: ['dogs', 'snow', 'mail'], tone: ['funny'], engines: [EDITOR],
    },
    builds: [],
  },
]
