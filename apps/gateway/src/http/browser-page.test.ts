import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fail } from '@fleet/contract'
import { browserAnswer, browserFailure } from './browser-page.ts'

const request = { requestId: 'r-1', origin: 'https://gateway.fleet', wantsHtml: true }
const manifest = {
  name: 'Our "Fleet" <b>',
  public: true,
  default_events: [],
  default_permissions: { contents: 'write', metadata: 'read' },
}
const action = 'https://github.com/settings/apps/new?state=a"b'

const pageOf = (owner: string | null) =>
  browserAnswer({ shows: 'manifest', action, manifest, owner }, request).page?.html ?? ''

test('the page says who will own the app and what it asks for, and nothing in it is more than text [PRX-013]', () => {
  const html = pageOf(null)
  assert.match(html, /<h1>Register the GitHub App Our &quot;Fleet&quot; &lt;b&gt;<\/h1>/)
  assert.match(html, /belong to your account at github\.com .*: contents: write, metadata: read\./)
  assert.match(pageOf('acme'), /belong to acme at github\.com/)
  assert.ok(
    html.includes('<form action="https://github.com/settings/apps/new?state=a&quot;b" method="post">'),
  )
  assert.doesNotMatch(html, /<script|<b>/)
})

test('another page is reached without a word', () => {
  const { status, page } = browserAnswer({ shows: 'redirect', location: 'https://github.com/x' }, request)
  assert.deepEqual([status, page?.html, page?.headers['location']], [303, '', 'https://github.com/x'])
})

test('a refusal is a page for a browser and the envelope for a program', () => {
  const error = fail('github.registration_invalid')
  const { status, page } = browserFailure(error, request)
  assert.equal(status, 409)
  assert.match(page?.html ?? '', /github\.registration_invalid · r-1/)
  assert.equal(browserFailure(error, { ...request, wantsHtml: false }).page, undefined)
})
