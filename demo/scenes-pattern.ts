import {
  backdrop,
  circle,
  group,
  type Paint,
  path,
  points,
  polygon,
  rect,
  rounded,
  shade,
  times,
} from './svg.ts'

export const blocks: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const size = height / random.integer(8, 11)
  const dx = size * 0.87
  const dy = size * 0.5
  const columns = 9
  const colorOf = (tall: number) => {
    if (tall === 0) return far
    if (random() < 0.08) return accent
    return tall > 3 ? light : tall > 1 ? mid : near
  }
  const block = (column: number, row: number) => {
    const distance = Math.hypot(column - columns / 2, row - columns / 2)
    const max = columns / 2 - distance
    const tall = max < 0 ? 0 : Math.max(0, Math.round(max * random.between(0.2, 1.1)))
    const x = width * 0.62 + (column - row) * dx
    const y = height * 0.34 + (column + row) * dy - tall * size * 0.55
    const color = colorOf(tall)
    const depth = (tall + 1) * size * 0.55 + size * 0.4
    const top: [number, number][] = [
      [x, y - dy],
      [x + dx, y],
      [x, y + dy],
      [x - dx, y],
    ]
    const side = (edge: number): [number, number][] => [
      [edge, y],
      [x, y + dy],
      [x, y + dy + depth],
      [edge, y + depth],
    ]
    return (
      polygon({ points: points(side(x - dx)), fill: shade(color, -0.25) }) +
      polygon({ points: points(side(x + dx)), fill: shade(color, -0.45) }) +
      polygon({ points: points(top), fill: color })
    )
  }
  const drawn = times(columns, (column) => times(columns, (row) => block(column, row)))
  return backdrop(sky, shade(sky, -0.35), width, height) + drawn
}

export const circles: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const rings = times(random.integer(11, 15), () => {
    const cx = random() * width
    const cy = random() * height
    const r = height * random.between(0.06, 0.3)
    const outer = circle({ cx, cy, r, fill: random.pick([far, mid, near, accent, light]) })
    const inner = times(random.integer(1, 4), (i) => {
      const fill = random.pick([far, mid, near, accent, light, sky])
      return circle({ cx, cy, r: r * (1 - (i + 1) * 0.22), fill })
    })
    const half = () =>
      path(rounded`M${cx - r} ${cy}a${r} ${r} 0 0 1 ${r * 2} 0Z`, {
        fill: random.pick([accent, light, near]),
      })
    return outer + inner + (random() < 0.3 ? half() : '')
  })
  return backdrop(sky, shade(sky, -0.2), width, height) + rings
}

export const sprites: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const tile = Math.round(height / 18)
  const ground = times(Math.ceil(width / tile), (i) => {
    const square = { x: i * tile, width: tile, height: tile }
    const top = height - tile * 4
    const grass = rect({ ...square, y: top, fill: i % 2 ? mid : shade(mid, 0.12) })
    const soil = times(3, (row) => {
      const fill = shade(near, ((i + row) % 3) * -0.09)
      return rect({ ...square, y: top + tile * (row + 1), fill })
    })
    return grass + soil
  })
  /** A creature of 8 by 7 pixels, mirrored at its middle. */
  const creature = (x: number, y: number, pixel: number, color: string) => {
    const columns = Array.from({ length: 4 }, () =>
      Array.from({ length: 7 }, () => random() < 0.55),
    )
    const square = (column: number, row: number, size: number, fill: string) =>
      rect({ x: x + column * pixel, y: y + row * pixel, width: size, height: size, fill })
    const body = columns.flatMap((cells, column) =>
      cells.flatMap((is_set, row) => {
        if (!is_set && (column !== 3 || row === 0)) return []
        const fill = row > 4 ? shade(color, -0.3) : color
        return [column, 7 - column].map((column) => square(column, row, pixel + 0.3, fill))
      }),
    )
    const eyes = [2, 5].map((column) => square(column, 2, pixel, light))
    return [...body, ...eyes].join('')
  }
  const clouds = times(5, () => {
    const x = random() * width
    const y = height * random.between(0.08, 0.4)
    const tiles = random.integer(3, 6)
    const cloud = { height: tile, fill: light, opacity: 0.55 }
    return (
      rect({ x, y, width: tiles * tile, ...cloud }) +
      rect({ x: x + tile, y: y - tile, width: (tiles - 2) * tile, ...cloud })
    )
  })
  const hills = times(6, (i) => {
    const x = random() * width
    const tiles = random.integer(6, 12)
    return times(tiles / 2, (row) =>
      rect({
        x: x + row * tile,
        y: height - tile * (5 + row),
        width: (tiles - row * 2) * tile,
        height: tile,
        fill: shade(far, -0.06 * (i % 3)),
      }),
    )
  })
  const ledges = times(4, (i) =>
    rect({
      x: (0.12 + i * 0.23) * width,
      y: height * random.between(0.42, 0.62),
      width: tile * random.integer(3, 5),
      height: tile,
      fill: near,
    }),
  )
  const coins = times(8, () =>
    rect({
      x: random() * width,
      y: height * random.between(0.3, 0.7),
      width: tile * 0.6,
      height: tile * 0.8,
      fill: accent,
    }),
  )
  const pixel = tile * 0.62
  const floor = height - tile * 4
  const hero = creature(width * 0.68, floor - pixel * 7, pixel, accent)
  const others = times(3, (i) => {
    const color = random.pick([light, shade(accent, -0.35), shade(far, -0.4)])
    return creature(width * (0.1 + i * 0.2), floor - pixel * 4.2, pixel * 0.6, color)
  })
  return group(
    { 'shape-rendering': 'crispEdges' },
    rect({ width, height, fill: sky }),
    clouds,
    hills,
    ledges,
    coins,
    ground,
    hero,
    others,
  )
}

export const maze: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const size = Math.round(height / 12)
  const r = size / 2
  const tile = (x: number, y: number) => {
    const is_flipped = random() < 0.5
    const stroke = random() < 0.08 ? accent : random.pick([far, mid, mid, near])
    const arcs = is_flipped
      ? rounded`M${x + r} ${y}A${r} ${r} 0 0 1 ${x} ${y + r}` +
        rounded`M${x + size} ${y + r}A${r} ${r} 0 0 0 ${x + r} ${y + size}`
      : rounded`M${x + r} ${y}A${r} ${r} 0 0 0 ${x + size} ${y + r}` +
        rounded`M${x} ${y + r}A${r} ${r} 0 0 1 ${x + r} ${y + size}`
    const style = { fill: 'none', 'stroke-width': size * 0.3, 'stroke-linecap': 'round' }
    return path(arcs, { stroke, ...style })
  }
  const tiles = times(Math.ceil(width / size), (column) =>
    times(Math.ceil(height / size), (row) => tile(column * size, row * size)),
  )
  const dots = times(14, () =>
    circle({
      cx: random.integer(1, Math.floor(width / size)) * size,
      cy: (random.integer(0, 10) + 0.5) * size,
      r: size * 0.2,
      fill: light,
    }),
  )
  return backdrop(sky, shade(sky, -0.25), width, height) + tiles + dots
}

const symbols = [
  'M0-30L26 0L0 30L-26 0Z',
  'M0 26C-40-6-22-34 0-14C22-34 40-6 0 26Z',
  'M0-30A30 30 0 1 0 .1-30Z',
  'M-26 22L0-28L26 22Z',
  'M-24-24H24V24H-24Z',
]

export const cards: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const w = height * 0.36
  const h = height * 0.54
  const card = (i: number) => {
    const angle = (i - 3) * 11 + random.between(-3, 3)
    const is_dark = random() < 0.35
    const color = random.pick([accent, near, mid])
    const fill = is_dark ? color : light
    const ink = is_dark ? light : color
    const symbol = random.pick(symbols)
    const border = { stroke: shade(sky, -0.5), 'stroke-width': 4 }
    const center = rounded`translate(${width * 0.6 + (i - 3) * width * 0.075} ${height * 0.98})`
    const corner = rounded`translate(${-w / 2 + 26} ${-h / 2 + 30}) scale(.4)`
    return group(
      { transform: center + rounded` rotate(${angle}) translate(0 ${-h * 0.75})` },
      rect({ x: -w / 2, y: -h / 2, width: w, height: h, rx: 14, fill, ...border }),
      path(symbol, { transform: rounded`scale(${height / 330})`, fill: ink }),
      path(symbol, { transform: corner, fill: ink }),
    )
  }
  const hand = times(7, card)
  const cloth = times(14, (i) =>
    circle({
      cx: width * 0.6,
      cy: height,
      r: height * (0.2 + i * 0.11),
      fill: 'none',
      stroke: far,
      'stroke-width': 5,
      opacity: 0.5,
    }),
  )
  return backdrop(sky, shade(sky, -0.3), width, height) + cloth + hand
}

export const panels: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const unit = height / 9
  const middle = unit / 2
  const shapes = [
    rect({ width: unit, height: unit }),
    path(rounded`M0 0H${unit}A${unit} ${unit} 0 0 1 0 ${unit}Z`, {}),
    path(rounded`M0 0H${unit}L0 ${unit}Z`, {}),
    circle({ cx: middle, cy: middle, r: unit * 0.36 }),
  ]
  const panel = (x: number, y: number) => {
    const fill = random.pick([far, mid, near, accent, light, sky, sky])
    const angle = random.integer(0, 3) * 90
    const transform = rounded`translate(${x} ${y}) rotate(${angle} ${middle} ${middle})`
    return group({ transform, fill }, random.pick(shapes))
  }
  const drawn = times(Math.ceil(width / unit), (column) =>
    times(Math.ceil(height / unit), (row) => panel(column * unit, row * unit)),
  )
  return rect({ width, height, fill: sky }) + drawn
}
