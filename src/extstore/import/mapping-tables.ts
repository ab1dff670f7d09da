import type { ContentWarning, Genre, Input, Tone } from '../../listings/fields/fields.ts'

/**
 * What the genres, categories, content descriptors and tags of the store mean here. The ids are the
 * store's; those without a meaning here are omitted.
 */

export type Meaning = {
  genres?: Genre[]
  tags?: string[]
  inputs?: Input[]
  content_warnings?: ContentWarning[]
  single?: true
  multi?: true
  net?: 'local' | 'online'
  /** Cannot be played with keyboard and mouse. */
  no_keyboard?: true
  adult?: true
}

export const genreMeanings: Record<string, Meaning> = {
  1: { genres: ['action'] },
  2: { genres: ['strategy'] },
  3: { genres: ['rpg'] },
  4: { genres: ['casual'] },
  9: { genres: ['racing'] },
  18: { genres: ['sports'] },
  23: { tags: ['indie'] },
  25: { genres: ['adventure'] },
  28: { genres: ['simulation'] },
  29: { tags: ['massively-multiplayer'], net: 'online' },
  37: { tags: ['free-to-play'] },
  50: { genres: ['utility'] },
  51: { genres: ['tool'] },
  52: { genres: ['tool'] },
  53: { genres: ['tool'] },
  54: { genres: ['educational'] },
  55: { genres: ['tool'] },
  56: { genres: ['educational'] },
  57: { genres: ['utility'] },
  58: { genres: ['tool'] },
  59: { genres: ['tool'] },
  60: { genres: ['tool'] },
  70: { tags: ['early-access'] },
  71: { content_warnings: ['sexual'] },
  72: { content_warnings: ['nudity'] },
  73: { content_warnings: ['violence'] },
  74: { content_warnings: ['gore'] },
  81: { genres: ['other'], tags: ['documentary'] },
  84: { genres: ['educational'] },
}

/** Marks massively multiplayer games. */
export const MASSIVE = { genre: '29', category: 20 } as const

export const categoryMeanings: Record<number, Meaning> = {
  1: { multi: true },
  2: { single: true },
  9: { multi: true },
  17: { tags: ['level-editor'] },
  18: { inputs: ['gamepad'] },
  20: { multi: true, net: 'online' },
  24: { multi: true, net: 'local' },
  27: { multi: true, net: 'online' },
  28: { inputs: ['gamepad'] },
  30: { tags: ['moddable'] },
  31: { inputs: ['vr'] },
  33: { inputs: ['gamepad'] },
  34: { inputs: ['vr'] },
  36: { multi: true, net: 'online' },
  37: { multi: true, net: 'local' },
  38: { multi: true, net: 'online' },
  39: { multi: true, net: 'local' },
  47: { multi: true, net: 'local' },
  48: { multi: true, net: 'local' },
  49: { multi: true },
  51: { tags: ['moddable'] },
  52: { inputs: ['motion'] },
  53: { inputs: ['vr'] },
  54: { inputs: ['vr'], no_keyboard: true },
  55: { inputs: ['gamepad'] },
  56: { inputs: ['gamepad'] },
  57: { inputs: ['gamepad'] },
  58: { inputs: ['gamepad'] },
  59: { inputs: ['gamepad'] },
  60: { inputs: ['gamepad'] },
  75: { inputs: ['keyboard_mouse'] },
}

/** Categories whose id is not documented. */
export const categoryMeaningsByName: Record<string, Meaning> = {
  'Mouse Only Option': { inputs: ['keyboard_mouse'] },
  'Touch Only Option': { inputs: ['touch'] },
}

export const descriptorMeanings: Record<number, Meaning> = {
  1: { content_warnings: ['nudity', 'sexual'] },
  2: { content_warnings: ['violence', 'gore'] },
  3: { content_warnings: ['nudity', 'sexual'], adult: true },
  4: { content_warnings: ['nudity', 'sexual'], adult: true },
}

/** Our genres, and the tags of the store that mean them. */
export const genreTags: Partial<Record<Genre, string[]>> = {
  action: [
    'action',
    'action-adventure',
    'character-action-game',
    'hack-and-slash',
    'spectacle-fighter',
  ],
  adventure: [
    'action-adventure',
    'adventure',
    'choose-your-own-adventure',
    'point-click',
    'walking-simulator',
  ],
  arcade: ['arcade', 'pinball', 'runner', 'score-attack'],
  card: [
    'board-game',
    'card-battler',
    'card-game',
    'deckbuilding',
    'roguelike-deckbuilder',
    'solitaire',
    'tabletop',
    'trading-card-game',
  ],
  casual: ['casual', 'party-game', 'trivia', 'word-game'],
  educational: ['education', 'spelling', 'typing'],
  fighting: ['2d-fighter', '3d-fighter', 'beat-em-up', 'boxing', 'fighting', 'wrestling'],
  horror: ['horror', 'psychological-horror', 'survival-horror'],
  idle: ['clicker', 'idler'],
  management: [
    'city-builder',
    'colony-sim',
    'management',
    'resource-management',
    'time-management',
  ],
  platformer: [
    '2d-platformer',
    '3d-platformer',
    'metroidvania',
    'platformer',
    'precision-platformer',
    'puzzle-platformer',
    'roguevania',
    'side-scroller',
  ],
  puzzle: [
    'escape-room',
    'hidden-object',
    'logic',
    'match-3',
    'puzzle',
    'puzzle-platformer',
    'sokoban',
  ],
  racing: ['combat-racing', 'motocross', 'racing'],
  rhythm: ['music-based-procedural-generation', 'rhythm'],
  roguelike: [
    'action-roguelike',
    'mystery-dungeon',
    'rogue-like',
    'rogue-lite',
    'roguelike',
    'roguelike-deckbuilder',
    'roguelite',
    'roguevania',
    'traditional-roguelike',
  ],
  rpg: [
    'action-rpg',
    'crpg',
    'dungeon-crawler',
    'jrpg',
    'mmorpg',
    'party-based-rpg',
    'rpg',
    'souls-like',
    'strategy-rpg',
    'tactical-rpg',
  ],
  sandbox: ['building', 'god-game', 'open-world-survival-craft', 'sandbox'],
  shooter: [
    'arena-shooter',
    'battle-royale',
    'bullet-hell',
    'fps',
    'hero-shooter',
    'looter-shooter',
    'on-rails-shooter',
    'shoot-em-up',
    'shooter',
    'third-person-shooter',
    'top-down-shooter',
    'twin-stick-shooter',
  ],
  simulation: [
    'automobile-sim',
    'dating-sim',
    'farming-sim',
    'flight',
    'immersive-sim',
    'life-sim',
    'medical-sim',
    'outbreak-sim',
    'political-sim',
    'simulation',
    'space-sim',
  ],
  sports: [
    'baseball',
    'basketball',
    'bmx',
    'bowling',
    'cycling',
    'football',
    'golf',
    'hockey',
    'mini-golf',
    'pool',
    'skateboarding',
    'skating',
    'skiing',
    'snowboarding',
    'soccer',
    'sports',
    'tennis',
  ],
  stealth: ['stealth'],
  strategy: [
    '4x',
    'auto-battler',
    'chess',
    'grand-strategy',
    'moba',
    'real-time-tactics',
    'rts',
    'strategy',
    'turn-based-strategy',
    'turn-based-tactics',
    'wargame',
  ],
  survival: ['open-world-survival-craft', 'survival', 'survival-horror'],
  tool: [
    'animation-modeling',
    'audio-production',
    'design-illustration',
    'game-development',
    'photo-editing',
    'software',
    'video-production',
    'web-publishing',
  ],
  'tower-defense': ['tower-defense'],
  utility: ['benchmark', 'utilities'],
  'visual-novel': ['dating-sim', 'interactive-fiction', 'otome', 'visual-novel'],
}

export const toneTags: Partial<Record<Tone, string[]>> = {
  chaotic: ['destruction', 'fast-paced', 'intentionally-awkward-controls'],
  cozy: ['cozy'],
  dark: ['dark', 'dark-fantasy', 'gothic', 'grimdark', 'lovecraftian', 'noir'],
  funny: ['comedy', 'dark-comedy', 'dark-humor', 'funny', 'memes', 'parody', 'satire'],
  relaxing: ['relaxing'],
  serious: ['drama', 'emotional', 'philosophical', 'political'],
  tense: ['psychological-horror', 'survival-horror', 'thriller'],
  weird: ['abstract', 'experimental', 'psychedelic', 'surreal'],
  wholesome: ['family-friendly', 'wholesome'],
}

export const inputTags: Partial<Record<Input, string[]>> = {
  gamepad: ['controller'],
  keyboard_mouse: ['mouse-only'],
  touch: ['touch-friendly'],
  vr: ['asymmetric-vr', 'vr'],
}

export const warningTags: Partial<Record<ContentWarning, string[]>> = {
  gambling: ['gambling'],
  gore: ['blood', 'gore'],
  horror: ['horror', 'psychological-horror', 'survival-horror'],
  nudity: ['nudity'],
  sexual: ['adult-content', 'hentai', 'nsfw', 'sexual-content'],
  violence: ['violent'],
}

/** Words in the descriptors of rating boards. */
export const ratingWords: Record<ContentWarning, RegExp> = {
  violence: /violence|violent/i,
  gore: /blood|gore/i,
  sexual: /sexual|suggestive/i,
  nudity: /nudity/i,
  language: /\blanguage\b|profanity/i,
  drugs: /drug|alcohol|tobacco/i,
  gambling: /gambling/i,
  horror: /\bhorror\b|\bfear\b/i,
  flashing_lights: /epilep|photosensitiv|flashing/i,
}
