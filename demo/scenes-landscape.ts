import {
  backdrop,
  circle,
  element,
  ellipse,
  gradientStop,
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

export const waves: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const cx = random.between(0.55, 0.85) * width
  const cy = random.between(0.25, 0.42) * height
  const r = height * random.between(0.12, 0.2)
  const row = (i: number) => {
    const y = height * (0.42 + i * 0.07)
    const length = width / random.between(3, 6)
    const lift = height * 0.018 * (i + 1.5)
    const shift = random.between(0, length)
    const half = length / 2
    const crests = times(12, () => rounded`q${length / 4} ${-lift} ${half} 0 t${half} 0`)
    const start = rounded`M${-shift - length} ${y}`
    const end = rounded`V${height}H${-length * 2}Z`
    const color = [far, mid, near][Math.min(2, Math.floor(i / 3))]!
    const foam = { stroke: light, 'stroke-opacity': 0.5, 'stroke-width': 3 }
    return path(start + crests + end, {
      fill: shade(color, -0.05 * (i % 3)),
      ...(i % 3 === 1 ? foam : {}),
    })
  }
  const behind = times(4, row)
  const before = times(5, (i) => row(i + 4))
  const x = width * random.between(0.2, 0.5)
  const boat = group(
    {
      transform:
        rounded`translate(${x} ${height * 0.6}) scale(${height / 300}) ` +
        rounded`rotate(${random.between(-6, 6)})`,
    },
    path('M-46 0H46L32 22H-30Z', { fill: shade(near, -0.5) }),
    path('M0-6V-78L40-12Z', { fill: light }),
    path('M-5-6V-66L-34-12Z', { fill: accent }),
  )
  const rings = times(3, (i) =>
    circle({ cx, cy, r: r * (1.35 + i * 0.4), fill: light, opacity: 0.12 }),
  )
  const sun = circle({ cx, cy, r, fill: accent })
  return backdrop(sky, shade(sky, 0.35), width, height) + rings + sun + behind + boat + before
}

export const mountains: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const snow = ({ x, y }: { x: number; y: number }) =>
    path(
      rounded`M${x} ${y}l${width * 0.028} ${height * 0.075}` +
        rounded`l${-width * 0.018} ${-height * 0.015}l${-width * 0.012} ${height * 0.03}` +
        rounded`l${-width * 0.014} ${-height * 0.03}l${-width * 0.012} ${height * 0.014}Z`,
      { fill: light, opacity: 0.9 },
    )
  const ridge = (base: number, relief: number, fill: string, has_snow: boolean) => {
    const count = random.integer(5, 8)
    const peaks = Array.from({ length: count + 1 }, (_, i) => ({
      x: (i / count) * width + random.between(-30, 30),
      y: height * (base - random() * relief),
    }))
    const line = peaks.flatMap(({ x, y }, i): [number, number][] => {
      const valley: [number, number] = [x - width / count / 2, y + height * relief * 0.55]
      return i === 0 ? [[x, y]] : [valley, [x, y]]
    })
    const outline = `-40,${height} ${points(line)} ${width + 40},${height}`
    return polygon({ points: outline, fill }) + (has_snow ? peaks.map(snow).join('') : '')
  }
  const trees = times(46, () => {
    const x = random() * width
    const y = height * random.between(0.86, 1.02)
    const size = height * random.between(0.05, 0.13)
    return path(rounded`M${x} ${y - size}l${size * 0.26} ${size}h${-size * 0.52}Z`, {
      fill: shade(near, random.between(-0.45, -0.15)),
    })
  })
  const moon = circle({
    cx: width * random.between(0.15, 0.85),
    cy: height * 0.24,
    r: height * 0.11,
    fill: accent,
  })
  const mist = times(3, (i) => {
    const y = height * (0.6 + i * 0.1)
    return rect({ y, width, height: height * 0.05, fill: light, opacity: 0.07 + i * 0.02 })
  })
  return [
    backdrop(sky, shade(sky, 0.45), width, height),
    moon,
    ridge(0.52, 0.3, far, true),
    mist,
    ridge(0.68, 0.22, mid, false),
    ridge(0.86, 0.16, near, false),
    trees,
  ].join('')
}

export const stars: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const field = times(260, () =>
    circle({
      cx: random() * width,
      cy: random() * height,
      r: random.between(0.4, 2.3),
      fill: random() < 0.1 ? accent : light,
      opacity: random.between(0.3, 1),
    }),
  )
  const cx = width * random.between(0.6, 0.8)
  const cy = height * random.between(0.45, 0.75)
  const r = height * random.between(0.26, 0.4)
  const bands = times(6, (i) =>
    rect({
      x: cx - r,
      y: cy - r + ((i * 2 + random()) * r) / 6,
      width: r * 2,
      height: r * random.between(0.06, 0.22),
      fill: i % 2 ? near : shade(mid, 0.25),
      opacity: 0.7,
    }),
  )
  const ring = {
    cx,
    cy,
    rx: r * 1.7,
    ry: r * 0.34,
    fill: 'none',
    stroke: accent,
    'stroke-width': r * 0.07,
    transform: rounded`rotate(-16 ${cx} ${cy})`,
  }
  const dust = times(4, () =>
    ellipse({
      cx: random() * width,
      cy: random() * height,
      rx: width * random.between(0.2, 0.4),
      ry: height * 0.2,
      fill: `url(#dust${random.integer(0, 1)})`,
      opacity: 0.5,
      transform: rounded`rotate(-22 ${width / 2} ${height / 2})`,
    }),
  )
  const moons = times(random.integer(1, 3), () =>
    circle({
      cx: random() * width,
      cy: random.between(0.1, 0.5) * height,
      r: height * random.between(0.02, 0.06),
      fill: far,
    }),
  )
  const dustGradient = (color: string, i: number) =>
    element('radialGradient', { id: `dust${i}` }, gradientStop(0, color), gradientStop(1, color, 0))
  const definitions = element(
    'defs',
    {},
    dustGradient(far, 0),
    dustGradient(near, 1),
    element('clipPath', { id: 'globe' }, circle({ cx, cy, r })),
    element(
      'radialGradient',
      { id: 'dark', cx: 0.3, cy: 0.3, r: 0.8 },
      gradientStop(0.4, '#000', 0),
      gradientStop(1, '#000', 0.55),
    ),
  )
  return [
    definitions,
    backdrop(sky, shade(sky, -0.4), width, height),
    dust,
    field,
    moons,
    ellipse({ ...ring, opacity: 0.5 }),
    circle({ cx, cy, r, fill: mid }),
    group({ 'clip-path': 'url(#globe)' }, bands),
    circle({ cx, cy, r, fill: 'url(#dark)' }),
    // The part of the ring in front of the planet.
    ellipse({ ...ring, 'stroke-dasharray': rounded`${r * 2.75} ${r * 10}` }),
  ].join('')
}

export const city: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  type Row = { base: number; color: string; windows: string; low: number; high: number }
  const windowsOf = (left: number, right: number, top: number, row: Row) => {
    let drawn = ''
    for (let y = top + 14; y < row.base * height - 10; y += 22)
      for (let x = left + 10; x < right - 14; x += 18)
        if (random() < 0.42) {
          const fill = random() < 0.2 ? accent : row.windows
          drawn += rect({ x, y, width: 8, height: 11, fill, opacity: 0.9 })
        }
    return drawn
  }
  const drawRow = (row: Row) => {
    let x = -random.between(0, 40)
    let houses = ''
    while (x < width) {
      const house_width = width * random.between(0.04, 0.09)
      const top = row.base * height - height * random.between(row.low, row.high)
      const windows = windowsOf(x, x + house_width, top, row)
      const fill = row.color
      houses += rect({ x, y: top, width: house_width, height: height - top, fill }) + windows
      if (random() < 0.3) {
        const middle = x + house_width / 2
        houses += rect({ x: middle, y: top - 30, width: 3, height: 30, fill })
        houses += circle({ cx: middle + 1, cy: top - 32, r: 4, fill: accent })
      }
      x += house_width + random.between(-4, 8)
    }
    return houses
  }
  const rain = times(90, () =>
    path(rounded`M${random() * width} ${random() * height}l-9 30`, {
      stroke: light,
      'stroke-width': 1.6,
      opacity: 0.25,
    }),
  )
  const reflections = times(16, () =>
    rect({
      x: random() * width,
      y: height * random.between(0.92, 0.98),
      width: width * random.between(0.03, 0.12),
      height: 4,
      rx: 2,
      fill: random.pick([accent, light]),
      opacity: 0.5,
    }),
  )
  return [
    backdrop(sky, shade(far, 0.1), width, height),
    circle({ cx: width * 0.74, cy: height * 0.3, r: height * 0.17, fill: accent, opacity: 0.9 }),
    drawRow({ base: 0.95, color: far, windows: shade(far, 0.35), low: 0.35, high: 0.72 }),
    drawRow({ base: 0.95, color: mid, windows: light, low: 0.22, high: 0.52 }),
    drawRow({ base: 0.97, color: near, windows: light, low: 0.1, high: 0.3 }),
    rect({ y: height * 0.9, width, height: height * 0.1, fill: shade(near, -0.5) }),
    reflections,
    rain,
  ].join('')
}

export const forest: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const trees = (count: number, color: string, thickness: number, base: number) =>
    times(count, () => {
      const x = random() * width
      const w = width * thickness * random.between(0.6, 1.3)
      const crown = times(4, () =>
        circle({
          cx: x + random.between(-w * 4, w * 4),
          cy: height * random.between(-0.05, 0.3),
          r: w * random.between(2.4, 4.5),
          fill: shade(color, random.between(-0.1, 0.15)),
        }),
      )
      const trunk =
        rounded`M${x - w / 2} 0H${x + w / 2}L${x + w * 0.9} ${base * height}` +
        rounded`H${x - w * 0.9}Z`
      return path(trunk, { fill: shade(color, -0.22) }) + crown
    })
  const beams = times(5, (i) => {
    const top = width * (0.3 + i * 0.13)
    const bottom = width * (0.02 + i * 0.17)
    const beam = rounded`M${top} 0h${width * 0.05}L${bottom} ${height}h${-width * 0.14}Z`
    return path(beam, { fill: light, opacity: 0.1 })
  })
  const fireflies = times(34, () =>
    circle({
      cx: random() * width,
      cy: height * random.between(0.35, 0.95),
      r: random.between(2, 5),
      fill: accent,
      opacity: random.between(0.5, 1),
    }),
  )
  const mushrooms = times(9, () => {
    const x = random() * width
    const size = height * random.between(0.03, 0.09)
    const y = height * random.between(0.9, 0.99)
    const r = size * 0.6
    const stem = { x: x - size * 0.14, y: y - r, width: size * 0.28, height: size * 0.7 }
    const cap = rounded`M${x - r} ${y - size * 0.5}a${r} ${r} 0 0 1 ${r * 2} 0Z`
    return rect({ ...stem, fill: light }) + path(cap, { fill: accent })
  })
  const floor = path(
    rounded`M0 ${height * 0.86}q${width * 0.25} ${-height * 0.06} ${width * 0.5} 0` +
      rounded`t${width * 0.5} 0V${height}H0Z`,
    { fill: shade(near, -0.45) },
  )
  return [
    backdrop(sky, shade(sky, 0.4), width, height),
    trees(12, far, 0.012, 0.86),
    beams,
    trees(7, mid, 0.02, 0.9),
    trees(4, near, 0.03, 0.95),
    floor,
    mushrooms,
    fireflies,
  ].join('')
}

export const road: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const horizon = height * random.between(0.42, 0.52)
  const cx = width * random.between(0.45, 0.6)
  const r = height * 0.26
  const grid = { stroke: accent, opacity: 0.65 }
  const slots = times(6, (i) => {
    const y = horizon - r * 0.75 + i * r * 0.14
    return rect({ x: cx - r, y, width: r * 2, height: 2 + i * 1.6, fill: sky })
  })
  const lines = times(26, (i) =>
    path(rounded`M${cx} ${horizon}L${(i - 12.5) * width * 0.16 + cx} ${height}`, {
      ...grid,
      'stroke-width': 2,
    }),
  )
  const rows = times(11, (i) =>
    path(rounded`M0 ${horizon + (height - horizon) * (i / 10) ** 2.2}H${width}`, {
      ...grid,
      'stroke-width': 1 + i * 0.25,
    }),
  )
  const ridge = Array.from({ length: 13 }, (_, i): [number, number] => [
    (i / 12) * width,
    horizon - height * random.between(0.03, 0.17),
  ])
  const position = rounded`translate(${cx - width * 0.02} ${height * 0.83})`
  const car = group(
    { transform: `${position} ${rounded`scale(${height / 400})`}` },
    path('M-62 24V-4L-42-34H42L62-4V24Z', { fill: near }),
    path('M-38-28H38L48-6H-48Z', { fill: shade(sky, -0.3) }),
    rect({ x: -58, y: 2, width: 26, height: 9, fill: light }),
    rect({ x: 32, y: 2, width: 26, height: 9, fill: light }),
    rect({ x: -54, y: 24, width: 22, height: 12, fill: '#111' }),
    rect({ x: 32, y: 24, width: 22, height: 12, fill: '#111' }),
  )
  const outline = rounded`0,${horizon} ` + points(ridge) + rounded` ${width},${horizon}`
  return [
    backdrop(shade(sky, -0.3), far, width, height),
    circle({ cx, cy: horizon, r, fill: light }),
    slots,
    polygon({ points: outline, fill: mid }),
    rect({ y: horizon, width, height, fill: shade(sky, -0.55) }),
    lines,
    rows,
    car,
  ].join('')
}
