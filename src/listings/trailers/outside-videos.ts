import { explain } from '../../core/runtime/reasons.ts'
import { httpsUrl, invalidField } from '../fields/text.ts'
import { trailerField } from './trailer-rules.ts'

/** A video on another host. Pages load it only after a click. */
export type OutsideVideo = {
  /** The page of the video. */
  url: string
  /** What a frame on our page loads. */
  embed_url: string
  /** The only host that the frame is loaded from. */
  host: string
}

type Service = {
  hosts: readonly string[]
  /** Undefined if the address is not that of a video. */
  parse: (url: URL) => OutsideVideo | undefined
}

const YOUTUBE_ID = /^[\w-]{11}$/
const VIMEO_PATH = /^(?:\/video)?\/(\d{5,12})(?:\/([0-9a-f]{6,20}))?\/?$/
const PEERTUBE_PATH = /^\/(?:w|videos\/watch|videos\/embed)\/([0-9A-Za-z-]{10,36})\/?$/

const youtube: Service = {
  hosts: [
    'www.youtube.com',
    'youtube.com',
    'm.youtube.com',
    'youtu.be',
    'www.youtube-nocookie.com',
  ],
  parse({ hostname, pathname, searchParams }) {
    const path = /^\/(?:embed|shorts|live)\/([^/]+)\/?$/.exec(pathname)?.[1]
    const id =
      hostname === 'youtu.be' ? pathname.slice(1) : (path ?? searchParams.get('v') ?? undefined)
    if (!id || !YOUTUBE_ID.test(id)) return undefined
    return {
      url: `https://www.youtube.com/watch?v=${id}`,
      embed_url: `https://www.youtube-nocookie.com/embed/${id}`,
      host: 'www.youtube-nocookie.com',
    }
  },
}

const vimeo: Service = {
  hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
  parse({ pathname, searchParams }) {
    const [, id, secret = searchParams.get('h')] = VIMEO_PATH.exec(pathname) ?? []
    if (!id || (secret && !/^[0-9a-f]{6,20}$/.test(secret))) return undefined
    return {
      url: `https://vimeo.com/${id}${secret ? `/${secret}` : ''}`,
      embed_url: `https://player.vimeo.com/video/${id}?dnt=1${secret ? `&h=${secret}` : ''}`,
      host: 'player.vimeo.com',
    }
  },
}

/** Anyone can run a PeerTube server, so only well-known ones are accepted. */
const peertube: Service = {
  hosts: [
    'framatube.org',
    'peertube.tv',
    'tilvids.com',
    'makertube.net',
    'diode.zone',
    'spectra.video',
    'video.blender.org',
    'tube.tchncs.de',
  ],
  parse({ hostname: host, pathname }) {
    const id = PEERTUBE_PATH.exec(pathname)?.[1]
    if (!id) return undefined
    return { url: `https://${host}/w/${id}`, embed_url: `https://${host}/videos/embed/${id}`, host }
  },
}

const services = [youtube, vimeo, peertube]
export const peertubeHosts = peertube.hosts

/** The video at an address; undefined if no frame of it may be shown. */
export function outsideVideo(address: string): OutsideVideo | undefined {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:' || url.port || url.username) return undefined
  return services.find(({ hosts }) => hosts.includes(url.hostname))?.parse(url)
}

/** Validates the address of a video on another host. */
export function readOutsideVideo(value: unknown): OutsideVideo {
  const at = trailerField('url')
  return (
    outsideVideo(httpsUrl(at, value)) ??
    invalidField(
      at,
      explain(
        'outside_video',
        'this is not the address of a video on YouTube, Vimeo or PeerTube ' +
          `(${peertube.hosts.join(', ')})`,
        { hosts: peertube.hosts.join(', ') },
      ),
    )
  )
}
