import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { FakeClock } from '@fleet/testing'
import { ensureRoot, issueLeaf, judgeLeaf, type LeafNames } from './index.ts'
import type { LeafExpectations } from './judge.ts'

const DAY = 86_400_000
const NAMES: LeafNames = { names: ['reverb.fleet'], addresses: ['10.44.0.4'] }

async function site(context: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-pki-'))
  context.after(() => rmSync(directory, { recursive: true }))
  const clock = new FakeClock()
  const root = await ensureRoot({ directory, clock, name: 'Fleet root' })
  const leaf = await issueLeaf(root, { clock, ...NAMES })
  const judge = (given: Partial<LeafExpectations> = NAMES, certificate = leaf.certificate): string =>
    judgeLeaf(certificate, { root: root.certificate, now: clock.now(), ...given }).verdict
  return { clock, root, leaf, judge }
}

test('a leaf is due when a sixth of its lifetime is left, and then expires [RTX-100]', async (context) => {
  const { clock, judge, leaf } = await site(context)
  assert.equal(judge(), 'good')
  clock.advance(leaf.renewAt.getTime() - clock.now().getTime() - 1)
  assert.equal(judge(), 'good')
  clock.advance(1)
  assert.equal(judge(), 'due')
  // The hour before its issue counts as lifetime too.
  assert.equal(Math.round((leaf.notAfter.getTime() - clock.now().getTime()) / DAY), 15)
  clock.advance(leaf.notAfter.getTime() - clock.now().getTime() + 1000)
  assert.equal(judge(), 'expired')
  clock.advance(-100 * DAY)
  assert.equal(judge(), 'early')
})

test('a leaf of other names or another authority is told from one that is as it should be [RTX-096, RTX-097]', async (context) => {
  const { judge } = await site(context)
  const other = await site(context)
  assert.equal(judge({}), 'good')
  assert.equal(judge({ names: ['reverb.fleet'] }), 'other_names')
  assert.equal(judge({ ...NAMES, names: ['reverb.fleet', 'more.fleet'] }), 'other_names')
  assert.equal(judge(NAMES, other.leaf.certificate), 'other_root')
  assert.equal(judge(NAMES, 'cut off'), 'unreadable')
})

test('a leaf is also judged by the hosts that clients connect to, whatever else it is for', async (context) => {
  const { judge, clock, root, leaf } = await site(context)
  assert.equal(judge({ hosts: ['reverb.fleet'] }), 'good')
  assert.equal(judge({ hosts: ['reverb.fleet', '10.44.0.4'] }), 'good')
  assert.equal(judge({ hosts: ['reverb.fleet', 'shop.fleet'] }), 'other_names')
  assert.equal(judge({ hosts: ['reverb.fleet', '10.44.0.5'] }), 'other_names')
  // Its common name is no name that a client looks at.
  const unnamed = await issueLeaf(root, { clock, names: [], addresses: ['10.44.0.4'] })
  assert.equal(judge({ hosts: ['10.44.0.4'] }, unnamed.certificate), 'good')
  assert.equal(judge({ hosts: ['reverb.fleet'] }, unnamed.certificate), 'other_names')
  clock.advance(leaf.notAfter.getTime() - clock.now().getTime() + 1000)
  assert.equal(judge({ hosts: ['shop.fleet'] }), 'other_names')
})
