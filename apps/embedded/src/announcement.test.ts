import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { announce, announcementIn, withdraw } from './announcement.ts'

const folderFor = (context: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-announce-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const facts = {
  base_url: 'https://127.0.0.1:8443',
  ca_file: '/home/ca/root.crt',
  websocket: { url: 'wss://127.0.0.1:8790', key: 'key' },
  nodes: [{ id: 2, name: 'node-1', address: '127.44.0.11' }],
  pid: 4711,
}

test('what is announced can be read by its owner alone and is read back the same', (context) => {
  const folder = folderFor(context)
  announce(folder, facts)
  assert.equal(statSync(join(folder, 'embedded.json')).mode & 0o777, 0o600)
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'embedded.json'), 'utf8')), facts)
  assert.deepEqual(announcementIn(folder), facts)
  assert.deepEqual(readdirSync(folder), ['embedded.json'])
})

test('nothing is found where nothing was announced, after a withdrawal, or in a broken file', (context) => {
  const folder = folderFor(context)
  assert.equal(announcementIn(folder), undefined)
  announce(folder, facts)
  withdraw(folder)
  withdraw(folder)
  assert.equal(announcementIn(folder), undefined)
  writeFileSync(join(folder, 'embedded.json'), '{"base_url":')
  assert.equal(announcementIn(folder), undefined)
})
