import { Html } from './html.ts'

/**
 * Drawn on a grid of 20 in the color of the text around them. Text beside an icon always states its
 * meaning.
 */
const paths = {
  // The logo: a hull on the rails of a slipway.
  mark:
    '<path d="M3 5.2h11.4l-2.1 4.3H5.9z" fill="currentColor"/>' +
    '<path d="M2 10.2l16 5.2M2 13.4l11 3.6" fill="none" stroke="currentColor" stroke-width="1.6"/>',
  search: '<circle cx="8.6" cy="8.6" r="5.2"/><path d="M12.6 12.6 17 17"/>',
  person:
    '<circle cx="10" cy="6.8" r="3.3"/>' +
    '<path d="M3.5 17c.7-3.7 3.2-5.4 6.5-5.4s5.8 1.7 6.5 5.4"/>',
  download: '<path d="M10 3v9M6 8.5l4 4 4-4M3.5 16.5h13"/>',
  play: '<path d="M6 3.8v12.4L16 10z" fill="currentColor" stroke="none"/>',
  ok: '<path d="M3.8 10.6 8 14.8 16.4 5.4"/>',
  warn: '<path d="M10 3 18 17H2zM10 8v4.2M10 14.4v.2"/>',
  bad: '<path d="M5 5l10 10M15 5 5 15"/>',
  wait: '<circle cx="10" cy="10" r="7"/><path d="M10 5.8V10l3 2"/>',
  info: '<circle cx="10" cy="10" r="7"/><path d="M10 9v5M10 6.2v.2"/>',
  copy: '<rect x="6.5" y="6.5" width="10" height="10" rx="1.5"/><path d="M13.5 6.5v-3h-10v10h3"/>',
  left: '<path d="M12.5 4 6.5 10l6 6"/>',
  right: '<path d="m7.5 4 6 6-6 6"/>',
  minus: '<path d="M4 10h12"/>',
  plus: '<path d="M4 10h12M10 4v12"/>',
  sliders:
    '<path d="M3 6h8M15 6h2M3 14h2M9 14h8"/>' +
    '<circle cx="13" cy="6" r="2"/><circle cx="7" cy="14" r="2"/>',
  link: '<path d="M11 4.5h4.5V9M15 5l-6.5 6.5M8.5 5H4.5v10.5H15v-4"/>',
  feed:
    '<path d="M4 10.5a5.5 5.5 0 0 1 5.5 5.5M4 5a11 11 0 0 1 11 11"/>' +
    '<circle cx="5" cy="15" r="1.2" fill="currentColor"/>',
  key: '<circle cx="6.5" cy="13.5" r="3"/><path d="m8.8 11.2 7.7-7.7M13 7l2.5 2.5"/>',
  star: '<path d="m10 3 2.1 4.6 5 .6-3.7 3.4 1 5L10 14.1l-4.4 2.5 1-5L2.9 8.2l5-.6z"/>',
  refresh: '<path d="M16 10a6 6 0 1 1-2-4.5L16 7.3M16 3.5v3.8h-3.8"/>',
  windows:
    '<path d="M3 5.2 9 4.3v5.2H3zM10.6 4 17 3v6.5h-6.4zM3 10.9h6v5.2l-6-.9zM10.6 10.9H17V17l-6.4-1z"' +
    ' fill="currentColor" stroke="none"/>',
  macos:
    '<path d="M7.5 7.5h5v5h-5zM7.5 7.5H5.8a1.8 1.8 0 1 1 1.7-1.8zM12.5 7.5V5.8a1.8 1.8 0 1 1' +
    ' 1.7 1.7zM12.5 12.5h1.7a1.8 1.8 0 1 1-1.7 1.8zM7.5 12.5v1.7a1.8 1.8 0 1 1-1.7-1.7z"/>',
  linux:
    '<path d="M10 2.8c-2 0-3 1.5-3 3.6 0 2.5-2.6 4.3-2.6 7.4 0 2 2.3 3.4 5.6 3.4s5.6-1.4' +
    ' 5.6-3.4c0-3.1-2.6-4.9-2.6-7.4 0-2.1-1-3.6-3-3.6z"/>' +
    '<path d="M8.9 6.4v.1M11.1 6.4v.1M8.8 8.6l1.2.8 1.2-.8M7.4 14c.4-1.8 1.4-2.8 2.6-2.8' +
    's2.2 1 2.6 2.8"/>',
  android:
    '<path d="M3.5 14a6.5 6.5 0 0 1 13 0zM6.4 8.4 5 6M13.6 8.4 15 6M7.6 11.4v.1M12.4 11.4v.1"/>',
  ios: '<rect x="6" y="2.5" width="8" height="15" rx="1.8"/><path d="M9.2 15h1.6"/>',
  web:
    '<circle cx="10" cy="10" r="7"/><path d="M3 10h14M10 3c2.2 2 3.2 4.3 3.2 7S12.2 15 10 17' +
    'c-2.2-2-3.2-4.3-3.2-7S7.8 5 10 3z"/>',
  upload: '<path d="M10 13V4M6 7.5l4-4 4 4M3.5 16.5h13"/>',
} as const

export type IconName = keyof typeof paths

const ATTRIBUTES = [
  'class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"',
  'fill="none" stroke="currentColor" stroke-width="1.7"',
  'stroke-linecap="round" stroke-linejoin="round"',
].join(' ')

export const icon = (name: IconName): Html => new Html(`<svg ${ATTRIBUTES}>${paths[name]}</svg>`)
