import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { run } from '@fleet/shell'
import fc from 'fast-check'
import { Announcement, announced } from './process-group.ts'

/** Feeds the text in pieces and answers what is left of it and the group. */
const read = async (pieces: readonly string[]): Promise<[string, number | undefined]> => {
  const announcement = new Announcement()
  const parts = pieces.map((piece) => announcement.strip(Buffer.from(piece, 'latin1')))
  return [Buffer.concat([...parts, announcement.rest()]).toString('latin1'), await announcement.group]
}
const bytes = fc.uint8Array({ maxLength: 60 }).map((list) => Buffer.from(list).toString('latin1'))

test('the announcement is taken out wherever packets are cut, and every byte after it stays', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(90), { maxLength: 6 }), async (output, cuts) => {
      const whole = `fleet-group:4711\n${output}`
      const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
      const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end))
      assert.deepEqual(await read(pieces), [output, 4711])
    }),
  )
})

test('what a login script prints first is dropped', async () => {
  assert.deepEqual(await read(['Welcome!\nfleet-group:12\n', 'out']), ['out', 12])
})

test('only the first announcement counts; a later one is output', async () => {
  assert.deepEqual(await read(['fleet-group:12\nfleet-group:13\n']), ['fleet-group:13\n', 12])
})

test('a shell that announces nothing loses no output', async () => {
  assert.deepEqual(await read(['no mark', ' here']), ['no mark here', undefined])
  const long = 'x'.repeat(100_000)
  assert.deepEqual(await read([long, 'fleet-group:1\n']), [`${long}fleet-group:1\n`, undefined])
})

for (const shell of ['sh', 'bash', 'fish']) {
  const skip = spawnSync(shell, ['-c', 'exit']).error === undefined ? false : `no ${shell} on this machine`
  test(`a login shell ${shell} runs what Fleet sends, and announces its own process`, { skip }, async () => {
    const { line } = run('sh', '-c', 'printf "%s\\n" "$1"; exit 7', 'title', `it's "$HOME"`)
    const { status, stdout, pid } = spawnSync(shell, ['-c', announced(line)])
    const [output, group] = await read([stdout.toString('latin1')])
    assert.deepEqual([status, output, group], [7, `it's "$HOME"\n`, pid])
  })
}
