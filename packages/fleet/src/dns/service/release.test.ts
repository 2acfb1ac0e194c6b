import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { codeDigest, type ReleaseFacts, releaseOf } from '#/dns/service/release.ts'
import { manifestOf } from '#/managed-services/api.ts'

const FACTS: ReleaseFacts = {
  address: '10.44.0.1',
  upstreams: ['192.0.2.1', '192.0.2.2'],
  program: 'a'.repeat(64),
}
const golden = (name: string): string => readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')

test('the files of a release are these [RTX-102, RTX-103]', () => {
  const release = releaseOf(FACTS)
  const { files } = release
  for (const [name, text] of Object.entries(files)) assert.equal(text, golden(name), name)
  assert.equal(manifestOf(release), golden('manifest'))
})

test('the manifest names the digest of every file, and the units the directory of the release [RTX-103]', () => {
  const release = releaseOf(FACTS)
  const { id, files } = release
  const manifest = manifestOf(release)
  for (const [name, text] of Object.entries(files))
    assert.ok(manifest.includes(`${createHash('sha256').update(text).digest('hex')}  ${name}\n`))
  assert.ok(manifest.includes(`${FACTS.program}  fleet\n`))
  assert.ok(files['fleet-private-dns.service'].includes(`/releases/${id}/fleet node-dns serve`))
})

test('another program, address or server is another release, the same facts are the same', () => {
  const ids = [
    FACTS,
    { ...FACTS, program: 'b'.repeat(64) },
    { ...FACTS, address: '10.44.0.2' },
    { ...FACTS, upstreams: [] },
  ]
  assert.equal(new Set(ids.map((facts) => releaseOf(facts).id)).size, 4)
  assert.deepEqual(releaseOf({ ...FACTS }), releaseOf(FACTS))
})

test('the digest of what the gateway would install follows from program and address alone [NODE-121]', () => {
  const { upstreams: _, ...code } = FACTS
  assert.equal(codeDigest(code), codeDigest({ ...code }))
  assert.notEqual(codeDigest({ ...code, program: 'b'.repeat(64) }), codeDigest(code))
  assert.notEqual(codeDigest({ ...code, address: '10.44.0.2' }), codeDigest(code))
})
