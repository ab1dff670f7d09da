import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outsideVideo, readOutsideVideo } from '../../../src/listings/trailers/outside-videos.ts'

test('recognizes the addresses of videos on known hosts', () => {
  const youtube = {
    url: 'https://www.youtube.com/watch?v=abcDEF_-123',
    embed_url: 'https://www.youtube-nocookie.com/embed/abcDEF_-123',
    host: 'www.youtube-nocookie.com',
  }
  for (const address of [
    'https://www.youtube.com/watch?v=abcDEF_-123&t=30s',
    'https://youtube.com/shorts/abcDEF_-123',
    'https://m.youtube.com/live/abcDEF_-123?feature=share',
    'https://youtu.be/abcDEF_-123?si=x',
    'https://www.youtube-nocookie.com/embed/abcDEF_-123',
  ])
    assert.deepEqual(outsideVideo(address), youtube, address)
  assert.deepEqual(outsideVideo('https://vimeo.com/123456789/abcdef0123'), {
    url: 'https://vimeo.com/123456789/abcdef0123',
    embed_url: 'https://player.vimeo.com/video/123456789?dnt=1&h=abcdef0123',
    host: 'player.vimeo.com',
  })
  assert.equal(
    outsideVideo('https://player.vimeo.com/video/123456789')?.url,
    'https://vimeo.com/123456789',
  )
  const id = 'kkGMgK9ZtnKfYAgnEtQxbv'
  for (const path of ['w', 'videos/watch', 'videos/embed'])
    assert.deepEqual(outsideVideo(`https://framatube.org/${path}/${id}`), {
      url: `https://framatube.org/w/${id}`,
      embed_url: `https://framatube.org/videos/embed/${id}`,
      host: 'framatube.org',
    })
})

test('refuses every other address', () => {
  for (const address of [
    'http://www.youtube.com/watch?v=abcDEF_-123',
    'https://www.youtube.com/watch?v=short',
    'https://www.youtube.com/watch?v=abcDEF_-123"onload',
    'https://www.youtube.com.example.org/watch?v=abcDEF_-123',
    'https://www.youtube.com:8443/watch?v=abcDEF_-123',
    'https://example.org/w/kkGMgK9ZtnKfYAgnEtQxbv',
    'https://framatube.org/about/instance',
    'https://vimeo.com/features',
    'https://vimeo.com/123456789?h=<script>',
    'javascript:alert(1)',
    '',
    undefined,
    7,
  ])
    assert.throws(() => readOutsideVideo(address), /^Refusal|url: /, String(address))
})
