import { editorEngines } from '../src/listings/fields/editor.ts'
import type { Entry } from './catalog.ts'

const [EDITOR] = editorEngines

/** Mods, plugins, tools and assets. */
// biome-ignore format: a catalog reads better when an entry is a few lines
export const toolsAndPacks: Entry[] = [
  {
    slug: 'tidewrack-night-fleet', by: 'papermoth', name: 'Night Fleet', asset_type: 'mod',
    parent: 'tidewrack', days_ago: 18, status: 'released',
    tagline: 'Twelve lantern-lit boats for Tidewrack.',
    story: 'Every boat has its own wake, horn and superstition.',
    look: { scene: 'waves', palette: 'deep', lettering: 'stencil' },
    taxonomy: {
      genres: ['adventure'], tags: ['boats', 'night', 'cosmetic'], engines: [EDITOR],
      authorship: 'human',
    },
    mod: {
      install_path: 'mods/night-fleet', loader: 'tidewrack-mods',
      instructions:
        'Unzip into the game folder and start the game once. Boats appear at the **old pier**.',
    },
    ranges: [{ engine: EDITOR, min_version: '4.2', max_version: '4.3' }],
    uses: [['tidewrack', 'supports']],
    builds: [{ version: '1.2', on: ['windows', 'linux'], title: 'Twelve boats' }], liked: [2, 1],
  },
  {
    slug: 'tidewrack-hard-water', by: 'northlight-club', name: 'Hard Water', asset_type: 'mod',
    parent: 'tidewrack', days_ago: 50, status: 'released',
    tagline: 'Shorter tides and a sea with a temper.',
    story: 'For people who think six minutes is generous.',
    look: { scene: 'waves', palette: 'ember', lettering: 'fast' },
    taxonomy: { tags: ['difficulty', 'survival', 'sea'], engines: [EDITOR], authorship: 'human' },
    mod: {
      install_path: 'mods/hard-water', loader: 'tidewrack-mods',
      instructions: 'Unzip into the game folder.',
    },
    ranges: [{ engine: EDITOR, min_version: '4.0', max_version: '4.2' }],
    uses: [['tidewrack', 'supports']],
    builds: [{ version: '0.9', on: ['windows', 'linux'], title: 'Colder' }],
  },
  {
    slug: 'tidewrack-chart-maker', by: 'saltworks', name: 'Chart Maker', asset_type: 'tool',
    parent: 'tidewrack', days_ago: 44, status: 'released', anonymous: true,
    tagline: 'Draw your own coasts for Tidewrack.',
    story:
      'The editor we drew the game with: depth, drift, wreckage, and a preview that runs the tide.',
    look: { scene: 'maze', palette: 'tide', lettering: 'thin' },
    taxonomy: {
      genres: ['tool'], tags: ['editor', 'maps', 'level-editor'], engines: [EDITOR],
      authorship: 'human',
    },
    builds: [
      { version: '1.2.0', on: ['windows', 'linux'], engine_version: '4.3', title: 'Tide preview' },
    ],
    liked: [2, 1],
  },
  {
    slug: 'saltkit-shaders', by: 'saltworks', name: 'Saltkit Shaders', asset_type: 'plugin',
    parent: { external_name: 'The open game editor', external_url: 'https://editor.example.org/' },
    days_ago: 130, status: 'released', license_kind: 'cc-by', anonymous: true,
    tagline: 'Water, wet sand and fog for small teams.',
    story: 'Six shaders with every knob explained, and a scene that shows what each of them costs.',
    look: { scene: 'waves', palette: 'candy', lettering: 'tall' },
    taxonomy: {
      tags: ['shaders', 'water', 'fog', 'rendering'], engines: [EDITOR], authorship: 'human',
    },
    mod: {
      install_path: 'addons/saltkit', loader: 'editor-addons',
      instructions: 'Copy `addons/saltkit` into your project and turn the plugin on.',
    },
    ranges: [{ engine: EDITOR, min_version: '4.1', max_version: '4.4' }],
    builds: [
      { version: '2.3.0', on: ['windows', 'linux'], engine_version: '4.3', title: 'Wet sand' },
    ],
    liked: [4, 1],
  },
  {
    slug: 'quiet-ui', by: 'quiet-machines', name: 'Quiet UI', asset_type: 'dev_asset', days_ago: 77,
    status: 'released', license_kind: 'cc0', anonymous: true,
    tagline: 'Menus that work with a keyboard, a pad and a screen reader.',
    story: 'Settings, saves, remapping, subtitles: the screens nobody wants to make again.',
    look: { scene: 'panels', palette: 'mono', lettering: 'heavy' },
    taxonomy: {
      tags: ['ui', 'menus', 'accessibility', 'template'], engines: [EDITOR, 'svc-engine'],
      authorship: 'human',
    },
    ranges: [{ engine: EDITOR, min_version: '4.0' }, { engine: 'svc-engine', min_version: '2.0' }],
    builds: [
      { version: '1.5.0', on: ['windows', 'linux'], engine_version: '4.3', title: 'Remapping' },
    ],
    liked: [3, 1],
  },
  {
    slug: 'harbour-tiles', by: 'papermoth', name: 'Harbour Tiles', asset_type: 'game_asset',
    days_ago: 160, status: 'released', license_kind: 'cc-by-sa',
    tagline: 'Four hundred isometric tiles of piers, cranes and wet brick.',
    story: 'Drawn at 128 pixels, in four seasons and two weathers.',
    look: { scene: 'blocks', palette: 'rust', lettering: 'heavy' },
    taxonomy: {
      tags: ['tileset', 'isometric', 'harbour', 'pixel-art'], engines: [EDITOR, 'northwind'],
      authorship: 'human',
    },
    builds: [{ version: '4.0', on: ['windows', 'linux'], title: 'Winter' }], liked: [3, 1],
  },
  {
    slug: 'foley-of-rain', by: 'quiet-machines', name: 'Foley of Rain', asset_type: 'game_asset',
    days_ago: 28, status: 'released', license_kind: 'cc0', anonymous: true,
    tagline: 'Two hours of rain on eleven roofs.',
    story: 'Tin, slate, canvas, leaves, and a greenhouse in Bergen. Loops without a seam.',
    look: { scene: 'city', palette: 'deep', lettering: 'thin' },
    taxonomy: {
      tags: ['audio', 'rain', 'ambience', 'loops'], engines: ['northwind', EDITOR],
      authorship: 'human',
    },
    builds: [{ version: '1.0', on: ['windows', 'linux'], title: 'Eleven roofs' }],
  },
  {
    slug: 'pixel-crew', by: 'tidepool-toys', name: 'Pixel Crew', asset_type: 'game_asset',
    days_ago: 9, status: 'released', license_kind: 'paid', price_cents: 599,
    tagline: 'Sixty little people who can climb, row and be seasick.',
    story: 'Animated at twelve frames, sorted, named, and ready to argue.',
    look: { scene: 'sprites', palette: 'moss', lettering: 'heavy' },
    taxonomy: {
      tags: ['sprites', 'characters', 'pixel-art', 'animation'], engines: [EDITOR],
      authorship: 'human_agent', ai_uses: ['art'],
    },
    builds: [{ version: '1.0', on: ['windows', 'linux'], title: 'Sixty' }],
  },
  {
    slug: 'buildbell', by: 'northlight-club', name: 'Buildbell', asset_type: 'tool',
    parent: { external_name: 'Any game engine', external_url: 'https://engines.example.org/' },
    days_ago: 15, status: 'development', anonymous: true,
    tagline: 'Rings a real bell when your build is green.',
    story:
      'A desktop tool that watches your build machine, and the smallest possible piece of joy.',
    look: { scene: 'circles', palette: 'ember', lettering: 'wide' },
    taxonomy: {
      genres: ['tool'], tags: ['build', 'automation', 'desktop'], engines: [EDITOR],
      authorship: 'human',
    },
    builds: [{ version: '0.3', on: ['linux', 'macos'], title: 'Louder' }],
  },
]
