import type { Random } from './random.ts'

/** Colors from background to foreground, then the accent and the light. */
export type Palette = readonly [
  sky: string,
  far: string,
  mid: string,
  near: string,
  accent: string,
  light: string,
]
type Paint = (random: Random, palette: Palette, width: number, height: number) => string

const fixed = (value: number) => value.toFixed(1)
const points = (list: [number, number][]) =>
  list.map(([x, y]) => `${fixed(x)},${fixed(y)}`).join(' ')
const backdrop = (id: string, from: string, to: string, width: number, height: number) =>
  `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient></defs><rect width="${width}" height="${height}" fill="url(#${id})"/>`
const times = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))

/** A darker or lighter shade of a color; `by` is from -1 to 1. */
export function shade(color: string, by: number): string {
  const to = by < 0 ? 0 : 255
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return `#${parts
    .map((part) =>
      Math.round(part + (to - part) * Math.abs(by))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

const waves: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const sun = {
    x: random.between(0.55, 0.85) * width,
    y: random.between(0.25, 0.42) * height,
    r: height * random.between(0.12, 0.2),
  }
  const rows = times(9, (row) => {
    const y = height * (0.42 + row * 0.07)
    const length = width / random.between(3, 6)
    const lift = height * 0.018 * (row + 1.5)
    const shift = random.between(0, length)
    const path = times(
      12,
      () => `q${fixed(length / 4)} ${fixed(-lift)} ${fixed(length / 2)} 0 t${fixed(length / 2)} 0`,
    ).join('')
    const color = [far, mid, near][Math.min(2, Math.floor(row / 3))]!
    const crest = row % 3 === 1 ? `stroke="${light}" stroke-opacity=".5" stroke-width="3"` : ''
    return `<path d="M${fixed(-shift - length)} ${fixed(y)}${path}V${height}H${fixed(-length * 2)}Z" fill="${shade(color, -0.05 * (row % 3))}" ${crest}/>`
  })
  const [x, y, s] = [width * random.between(0.2, 0.5), height * 0.6, height / 300]
  const boat = `<g transform="translate(${fixed(x)} ${fixed(y)}) scale(${fixed(s)}) rotate(${fixed(random.between(-6, 6))})"><path d="M-46 0H46L32 22H-30Z" fill="${shade(near, -0.5)}"/><path d="M0-6V-78L40-12Z" fill="${light}"/><path d="M-5-6V-66L-34-12Z" fill="${accent}"/></g>`
  const rings = times(
    3,
    (i) =>
      `<circle cx="${fixed(sun.x)}" cy="${fixed(sun.y)}" r="${fixed(sun.r * (1.35 + i * 0.4))}" fill="${light}" opacity=".12"/>`,
  ).join('')
  return `${backdrop('w', sky, shade(sky, 0.35), width, height)}${rings}<circle cx="${fixed(sun.x)}" cy="${fixed(sun.y)}" r="${fixed(sun.r)}" fill="${accent}"/>${rows.slice(0, 4).join('')}${boat}${rows.slice(4).join('')}`
}

const mountains: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const ridge = (base: number, rough: number, color: string, snow: boolean) => {
    const count = random.whole(5, 8)
    const peaks = times(count + 1, (i) => ({
      x: (i / count) * width + random.between(-30, 30),
      y: height * (base - random() * rough),
    }))
    const line: [number, number][] = peaks.flatMap(
      ({ x, y }, i) =>
        (i === 0
          ? [[x, y]]
          : [
              [x - width / count / 2, y + height * rough * 0.55],
              [x, y],
            ]) as [number, number][],
    )
    const caps = snow
      ? peaks
          .map(
            ({ x, y }) =>
              `<path d="M${fixed(x)} ${fixed(y)}l${fixed(width * 0.028)} ${fixed(height * 0.075)}l${fixed(-width * 0.018)} ${fixed(-height * 0.015)}l${fixed(-width * 0.012)} ${fixed(height * 0.03)}l${fixed(-width * 0.014)} ${fixed(-height * 0.03)}l${fixed(-width * 0.012)} ${fixed(height * 0.014)}Z" fill="${light}" opacity=".9"/>`,
          )
          .join('')
      : ''
    return `<polygon points="-40,${height} ${points(line)} ${width + 40},${height}" fill="${color}"/>${caps}`
  }
  const trees = times(46, () => {
    const [x, y] = [random() * width, height * random.between(0.86, 1.02)]
    const s = height * random.between(0.05, 0.13)
    return `<path d="M${fixed(x)} ${fixed(y - s)}l${fixed(s * 0.26)} ${fixed(s)}h${fixed(-s * 0.52)}Z" fill="${shade(near, random.between(-0.45, -0.15))}"/>`
  })
  const moon = `<circle cx="${fixed(width * random.between(0.15, 0.85))}" cy="${fixed(height * 0.24)}" r="${fixed(height * 0.11)}" fill="${accent}"/>`
  const mist = times(
    3,
    (i) =>
      `<rect y="${fixed(height * (0.6 + i * 0.1))}" width="${width}" height="${fixed(height * 0.05)}" fill="${light}" opacity="${0.07 + i * 0.02}"/>`,
  ).join('')
  return `${backdrop('m', sky, shade(sky, 0.45), width, height)}${moon}${ridge(0.52, 0.3, far, true)}${mist}${ridge(0.68, 0.22, mid, false)}${ridge(0.86, 0.16, near, false)}${trees.join('')}`
}

const blocks: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const size = height / random.whole(8, 11)
  const [dx, dy] = [size * 0.87, size * 0.5]
  const cells: string[] = []
  const reach = 9
  const heights = new Map<string, number>()
  for (let a = 0; a < reach; a++)
    for (let b = 0; b < reach; b++) {
      const edge = Math.hypot(a - reach / 2, b - reach / 2)
      const tall =
        edge > reach / 2
          ? 0
          : Math.max(0, Math.round((reach / 2 - edge) * random.between(0.2, 1.1)))
      heights.set(`${a} ${b}`, tall)
      const [x, y] = [
        width * 0.62 + (a - b) * dx,
        height * 0.34 + (a + b) * dy - tall * size * 0.55,
      ]
      const color =
        tall === 0 ? far : random() < 0.08 ? accent : tall > 3 ? light : tall > 1 ? mid : near
      const depth = (tall + 1) * size * 0.55 + size * 0.4
      const top = points([
        [x, y - dy],
        [x + dx, y],
        [x, y + dy],
        [x - dx, y],
      ])
      const left = points([
        [x - dx, y],
        [x, y + dy],
        [x, y + dy + depth],
        [x - dx, y + depth],
      ])
      const right = points([
        [x + dx, y],
        [x, y + dy],
        [x, y + dy + depth],
        [x + dx, y + depth],
      ])
      cells.push(
        `<polygon points="${left}" fill="${shade(color, -0.25)}"/><polygon points="${right}" fill="${shade(color, -0.45)}"/><polygon points="${top}" fill="${color}"/>`,
      )
    }
  return `${backdrop('b', sky, shade(sky, -0.35), width, height)}${cells.join('')}`
}

const circles: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const rings = times(random.whole(11, 15), () => {
    const [x, y] = [random() * width, random() * height]
    const r = height * random.between(0.06, 0.3)
    const color = random.pick([far, mid, near, accent, light])
    const inner = times(
      random.whole(1, 4),
      (i) =>
        `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(r * (1 - (i + 1) * 0.22))}" fill="${random.pick([far, mid, near, accent, light, sky])}"/>`,
    ).join('')
    const half =
      random() < 0.3
        ? `<path d="M${fixed(x - r)} ${fixed(y)}a${fixed(r)} ${fixed(r)} 0 0 1 ${fixed(r * 2)} 0Z" fill="${random.pick([accent, light, near])}"/>`
        : ''
    return `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(r)}" fill="${color}"/>${inner}${half}`
  })
  return `${backdrop('c', sky, shade(sky, -0.2), width, height)}${rings.join('')}`
}

const sprites: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const tile = Math.round(height / 18)
  const ground = times(Math.ceil(width / tile), (i) => {
    const top = height - tile * 4
    const grass = `<rect x="${i * tile}" y="${top}" width="${tile}" height="${tile}" fill="${i % 2 ? mid : shade(mid, 0.12)}"/>`
    const soil = times(
      3,
      (row) =>
        `<rect x="${i * tile}" y="${top + tile * (row + 1)}" width="${tile}" height="${tile}" fill="${shade(near, ((i + row) % 3) * -0.09)}"/>`,
    ).join('')
    return grass + soil
  })
  const being = (x: number, y: number, s: number, color: string) => {
    const cells = times(4, () => times(7, () => random() < 0.55))
    const drawn = cells.flatMap((column, a) =>
      column.flatMap((on, b) =>
        on || (a === 3 && b > 0)
          ? [a, 7 - a].map(
              (c) =>
                `<rect x="${fixed(x + c * s)}" y="${fixed(y + b * s)}" width="${fixed(s + 0.3)}" height="${fixed(s + 0.3)}" fill="${b > 4 ? shade(color, -0.3) : color}"/>`,
            )
          : [],
      ),
    )
    const eyes = [2, 5].map(
      (c) =>
        `<rect x="${fixed(x + c * s)}" y="${fixed(y + 2 * s)}" width="${s}" height="${s}" fill="${light}"/>`,
    )
    return [...drawn, ...eyes].join('')
  }
  const clouds = times(5, () => {
    const [x, y, w] = [random() * width, height * random.between(0.08, 0.4), random.whole(3, 6)]
    return `<rect x="${fixed(x)}" y="${fixed(y)}" width="${w * tile}" height="${tile}" fill="${light}" opacity=".55"/><rect x="${fixed(x + tile)}" y="${fixed(y - tile)}" width="${(w - 2) * tile}" height="${tile}" fill="${light}" opacity=".55"/>`
  })
  const hills = times(6, (i) => {
    const [x, w] = [random() * width, random.whole(6, 12)]
    return times(
      w / 2,
      (row) =>
        `<rect x="${fixed(x + row * tile)}" y="${fixed(height - tile * (5 + row))}" width="${(w - row * 2) * tile}" height="${tile}" fill="${shade(far, -0.06 * (i % 3))}"/>`,
    ).join('')
  })
  const ledges = times(
    4,
    (i) =>
      `<rect x="${fixed((0.12 + i * 0.23) * width)}" y="${fixed(height * random.between(0.42, 0.62))}" width="${tile * random.whole(3, 5)}" height="${tile}" fill="${near}"/>`,
  )
  const coins = times(
    8,
    () =>
      `<rect x="${fixed(random() * width)}" y="${fixed(height * random.between(0.3, 0.7))}" width="${fixed(tile * 0.6)}" height="${fixed(tile * 0.8)}" fill="${accent}"/>`,
  )
  const s = tile * 0.62
  const cast = [
    being(width * 0.68, height - tile * 4 - s * 7, s, accent),
    ...times(3, (i) =>
      being(
        width * (0.1 + i * 0.2),
        height - tile * 4 - s * 4.2,
        s * 0.6,
        random.pick([light, shade(accent, -0.35), shade(far, -0.4)]),
      ),
    ),
  ]
  return `<g shape-rendering="crispEdges"><rect width="${width}" height="${height}" fill="${sky}"/>${clouds.join('')}${hills.join('')}${ledges.join('')}${coins.join('')}${ground.join('')}${cast.join('')}</g>`
}

const stars: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const field = times(
    260,
    () =>
      `<circle cx="${fixed(random() * width)}" cy="${fixed(random() * height)}" r="${fixed(random.between(0.4, 2.3))}" fill="${random() < 0.1 ? accent : light}" opacity="${fixed(random.between(0.3, 1))}"/>`,
  )
  const [x, y, r] = [
    width * random.between(0.6, 0.8),
    height * random.between(0.45, 0.75),
    height * random.between(0.26, 0.4),
  ]
  const bands = times(
    6,
    (i) =>
      `<rect x="${fixed(x - r)}" y="${fixed(y - r + ((i * 2 + random()) * r) / 6)}" width="${fixed(r * 2)}" height="${fixed(r * random.between(0.06, 0.22))}" fill="${i % 2 ? near : shade(mid, 0.25)}" opacity=".7"/>`,
  )
  const ring = `<ellipse cx="${fixed(x)}" cy="${fixed(y)}" rx="${fixed(r * 1.7)}" ry="${fixed(r * 0.34)}" fill="none" stroke="${accent}" stroke-width="${fixed(r * 0.07)}" transform="rotate(-16 ${fixed(x)} ${fixed(y)})"`
  const dust = times(
    4,
    () =>
      `<ellipse cx="${fixed(random() * width)}" cy="${fixed(random() * height)}" rx="${fixed(width * random.between(0.2, 0.4))}" ry="${fixed(height * 0.2)}" fill="url(#dust${random.whole(0, 1)})" opacity=".5" transform="rotate(-22 ${fixed(width / 2)} ${fixed(height / 2)})"/>`,
  )
  const moons = times(
    random.whole(1, 3),
    () =>
      `<circle cx="${fixed(random() * width)}" cy="${fixed(random.between(0.1, 0.5) * height)}" r="${fixed(height * random.between(0.02, 0.06))}" fill="${far}"/>`,
  )
  return `<defs>${[far, near].map((color, i) => `<radialGradient id="dust${i}"><stop offset="0" stop-color="${color}"/><stop offset="1" stop-color="${color}" stop-opacity="0"/></radialGradient>`).join('')}<clipPath id="globe"><circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(r)}"/></clipPath><radialGradient id="dark" cx=".3" cy=".3" r=".8"><stop offset=".4" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity=".55"/></radialGradient></defs>
${backdrop('s', sky, shade(sky, -0.4), width, height)}${dust.join('')}${field.join('')}${moons.join('')}${ring} opacity=".5"/><circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(r)}" fill="${mid}"/><g clip-path="url(#globe)">${bands.join('')}</g><circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(r)}" fill="url(#dark)"/>${ring} stroke-dasharray="${fixed(r * 2.75)} ${fixed(r * 10)}"/>`
}

const city: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const row = (base: number, color: string, lit: string, low: number, high: number) => {
    let x = -random.between(0, 40)
    const houses: string[] = []
    while (x < width) {
      const w = width * random.between(0.04, 0.09)
      const tall = height * random.between(low, high)
      const top = base * height - tall
      const windows: string[] = []
      for (let wy = top + 14; wy < base * height - 10; wy += 22)
        for (let wx = x + 10; wx < x + w - 14; wx += 18)
          if (random() < 0.42)
            windows.push(
              `<rect x="${fixed(wx)}" y="${fixed(wy)}" width="8" height="11" fill="${random() < 0.2 ? accent : lit}" opacity=".9"/>`,
            )
      houses.push(
        `<rect x="${fixed(x)}" y="${fixed(top)}" width="${fixed(w)}" height="${fixed(height - top)}" fill="${color}"/>${windows.join('')}`,
      )
      if (random() < 0.3)
        houses.push(
          `<rect x="${fixed(x + w / 2)}" y="${fixed(top - 30)}" width="3" height="30" fill="${color}"/><circle cx="${fixed(x + w / 2 + 1)}" cy="${fixed(top - 32)}" r="4" fill="${accent}"/>`,
        )
      x += w + random.between(-4, 8)
    }
    return houses.join('')
  }
  const rain = times(90, () => {
    const [x, y] = [random() * width, random() * height]
    return `<path d="M${fixed(x)} ${fixed(y)}l-9 30" stroke="${light}" stroke-width="1.6" opacity=".25"/>`
  })
  const wet = times(
    16,
    () =>
      `<rect x="${fixed(random() * width)}" y="${fixed(height * random.between(0.92, 0.98))}" width="${fixed(width * random.between(0.03, 0.12))}" height="4" rx="2" fill="${random.pick([accent, light])}" opacity=".5"/>`,
  )
  return `${backdrop('y', sky, shade(far, 0.1), width, height)}<circle cx="${fixed(width * 0.74)}" cy="${fixed(height * 0.3)}" r="${fixed(height * 0.17)}" fill="${accent}" opacity=".9"/>${row(0.95, far, shade(far, 0.35), 0.35, 0.72)}${row(0.95, mid, light, 0.22, 0.52)}${row(0.97, near, light, 0.1, 0.3)}<rect y="${fixed(height * 0.9)}" width="${width}" height="${fixed(height * 0.1)}" fill="${shade(near, -0.5)}"/>${wet.join('')}${rain.join('')}`
}

const forest: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const trunks = (count: number, color: string, thick: number, base: number) =>
    times(count, () => {
      const [x, w] = [random() * width, width * thick * random.between(0.6, 1.3)]
      const crown = times(
        4,
        () =>
          `<circle cx="${fixed(x + random.between(-w * 4, w * 4))}" cy="${fixed(height * random.between(-0.05, 0.3))}" r="${fixed(w * random.between(2.4, 4.5))}" fill="${shade(color, random.between(-0.1, 0.15))}"/>`,
      ).join('')
      return `<path d="M${fixed(x - w / 2)} 0H${fixed(x + w / 2)}L${fixed(x + w * 0.9)} ${fixed(base * height)}H${fixed(x - w * 0.9)}Z" fill="${shade(color, -0.22)}"/>${crown}`
    }).join('')
  const beams = times(
    5,
    (i) =>
      `<path d="M${fixed(width * (0.3 + i * 0.13))} 0h${fixed(width * 0.05)}L${fixed(width * (0.02 + i * 0.17))} ${height}h${fixed(-width * 0.14)}Z" fill="${light}" opacity=".1"/>`,
  ).join('')
  const flies = times(
    34,
    () =>
      `<circle cx="${fixed(random() * width)}" cy="${fixed(height * random.between(0.35, 0.95))}" r="${fixed(random.between(2, 5))}" fill="${accent}" opacity="${fixed(random.between(0.5, 1))}"/>`,
  ).join('')
  const caps = times(9, () => {
    const [x, s] = [random() * width, height * random.between(0.03, 0.09)]
    const y = height * random.between(0.9, 0.99)
    return `<rect x="${fixed(x - s * 0.14)}" y="${fixed(y - s * 0.6)}" width="${fixed(s * 0.28)}" height="${fixed(s * 0.7)}" fill="${light}"/><path d="M${fixed(x - s * 0.6)} ${fixed(y - s * 0.5)}a${fixed(s * 0.6)} ${fixed(s * 0.6)} 0 0 1 ${fixed(s * 1.2)} 0Z" fill="${accent}"/>`
  }).join('')
  const floor = `<path d="M0 ${fixed(height * 0.86)}q${fixed(width * 0.25)} ${fixed(-height * 0.06)} ${fixed(width * 0.5)} 0t${fixed(width * 0.5)} 0V${height}H0Z" fill="${shade(near, -0.45)}"/>`
  return `${backdrop('f', sky, shade(sky, 0.4), width, height)}${trunks(12, far, 0.012, 0.86)}${beams}${trunks(7, mid, 0.02, 0.9)}${trunks(4, near, 0.03, 0.95)}${floor}${caps}${flies}`
}

const maze: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const size = Math.round(height / 12)
  const strokes: string[] = []
  for (let x = 0; x < width; x += size)
    for (let y = 0; y < height; y += size) {
      const flip = random() < 0.5
      const color = random() < 0.08 ? accent : random.pick([far, mid, mid, near])
      const arc = flip
        ? `M${x + size / 2} ${y}A${size / 2} ${size / 2} 0 0 1 ${x} ${y + size / 2}M${x + size} ${y + size / 2}A${size / 2} ${size / 2} 0 0 0 ${x + size / 2} ${y + size}`
        : `M${x + size / 2} ${y}A${size / 2} ${size / 2} 0 0 0 ${x + size} ${y + size / 2}M${x} ${y + size / 2}A${size / 2} ${size / 2} 0 0 1 ${x + size / 2} ${y + size}`
      strokes.push(
        `<path d="${arc}" fill="none" stroke="${color}" stroke-width="${fixed(size * 0.3)}" stroke-linecap="round"/>`,
      )
    }
  const dots = times(
    14,
    () =>
      `<circle cx="${random.whole(1, Math.floor(width / size)) * size}" cy="${(random.whole(0, 10) + 0.5) * size}" r="${fixed(size * 0.2)}" fill="${light}"/>`,
  )
  return `${backdrop('z', sky, shade(sky, -0.25), width, height)}${strokes.join('')}${dots.join('')}`
}

const road: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const horizon = height * random.between(0.42, 0.52)
  const [x, r] = [width * random.between(0.45, 0.6), height * 0.26]
  const slots = times(
    6,
    (i) =>
      `<rect x="${fixed(x - r)}" y="${fixed(horizon - r * 0.75 + i * r * 0.14)}" width="${fixed(r * 2)}" height="${fixed(2 + i * 1.6)}" fill="${sky}"/>`,
  ).join('')
  const lines = times(
    26,
    (i) =>
      `<path d="M${fixed(x)} ${fixed(horizon)}L${fixed((i - 12.5) * width * 0.16 + x)} ${height}" stroke="${accent}" stroke-width="2" opacity=".65"/>`,
  ).join('')
  const rows = times(
    11,
    (i) =>
      `<path d="M0 ${fixed(horizon + (height - horizon) * (i / 10) ** 2.2)}H${width}" stroke="${accent}" stroke-width="${fixed(1 + i * 0.25)}" opacity=".65"/>`,
  ).join('')
  const ridge = times(
    13,
    (i) => [(i / 12) * width, horizon - height * random.between(0.03, 0.17)] as [number, number],
  )
  const car = `<g transform="translate(${fixed(x - width * 0.02)} ${fixed(height * 0.83)}) scale(${fixed(height / 400)})"><path d="M-62 24V-4L-42-34H42L62-4V24Z" fill="${near}"/><path d="M-38-28H38L48-6H-48Z" fill="${shade(sky, -0.3)}"/><rect x="-58" y="2" width="26" height="9" fill="${light}"/><rect x="32" y="2" width="26" height="9" fill="${light}"/><rect x="-54" y="24" width="22" height="12" fill="#111"/><rect x="32" y="24" width="22" height="12" fill="#111"/></g>`
  return `${backdrop('r', shade(sky, -0.3), far, width, height)}<circle cx="${fixed(x)}" cy="${fixed(horizon)}" r="${fixed(r)}" fill="${light}"/>${slots}<polygon points="0,${fixed(horizon)} ${points(ridge)} ${width},${fixed(horizon)}" fill="${mid}"/><rect y="${fixed(horizon)}" width="${width}" height="${height}" fill="${shade(sky, -0.55)}"/>${lines}${rows}${car}`
}

const cards: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const signs = [
    'M0-30L26 0L0 30L-26 0Z',
    'M0 26C-40-6-22-34 0-14C22-34 40-6 0 26Z',
    'M0-30A30 30 0 1 0 .1-30Z',
    'M-26 22L0-28L26 22Z',
    'M-24-24H24V24H-24Z',
  ]
  const hand = times(7, (i) => {
    const angle = (i - 3) * 11 + random.between(-3, 3)
    const [w, h] = [height * 0.36, height * 0.54]
    const [ground, ink] =
      random() < 0.35
        ? [random.pick([accent, near, mid]), light]
        : [light, random.pick([accent, near, mid])]
    const sign = random.pick(signs)
    return `<g transform="translate(${fixed(width * 0.6 + (i - 3) * width * 0.075)} ${fixed(height * 0.98)}) rotate(${fixed(angle)}) translate(0 ${fixed(-h * 0.75)})"><rect x="${fixed(-w / 2)}" y="${fixed(-h / 2)}" width="${fixed(w)}" height="${fixed(h)}" rx="14" fill="${ground}" stroke="${shade(sky, -0.5)}" stroke-width="4"/><path d="${sign}" transform="scale(${fixed(height / 330)})" fill="${ink}"/><path d="${sign}" transform="translate(${fixed(-w / 2 + 26)} ${fixed(-h / 2 + 30)}) scale(.4)" fill="${ink}"/></g>`
  })
  const cloth = times(
    14,
    (i) =>
      `<circle cx="${fixed(width * 0.6)}" cy="${fixed(height)}" r="${fixed(height * (0.2 + i * 0.11))}" fill="none" stroke="${far}" stroke-width="5" opacity=".5"/>`,
  ).join('')
  return `${backdrop('k', sky, shade(sky, -0.3), width, height)}${cloth}${hand.join('')}`
}

const panels: Paint = (random, [sky, far, mid, near, accent, light], width, height) => {
  const unit = height / 9
  const shapes: string[] = []
  for (let x = 0; x < width; x += unit)
    for (let y = 0; y < height; y += unit) {
      const color = random.pick([far, mid, near, accent, light, sky, sky])
      const turn = random.whole(0, 3) * 90
      const shape = random.pick([
        `<rect width="${fixed(unit)}" height="${fixed(unit)}"/>`,
        `<path d="M0 0H${fixed(unit)}A${fixed(unit)} ${fixed(unit)} 0 0 1 0 ${fixed(unit)}Z"/>`,
        `<path d="M0 0H${fixed(unit)}L0 ${fixed(unit)}Z"/>`,
        `<circle cx="${fixed(unit / 2)}" cy="${fixed(unit / 2)}" r="${fixed(unit * 0.36)}"/>`,
      ])
      shapes.push(
        `<g transform="translate(${fixed(x)} ${fixed(y)}) rotate(${turn} ${fixed(unit / 2)} ${fixed(unit / 2)})" fill="${color}">${shape}</g>`,
      )
    }
  return `<rect width="${width}" height="${height}" fill="${sky}"/>${shapes.join('')}`
}

export const scenes = {
  waves,
  mountains,
  blocks,
  circles,
  sprites,
  stars,
  city,
  forest,
  maze,
  road,
  cards,
  panels,
} as const
export type SceneName = keyof typeof scenes
