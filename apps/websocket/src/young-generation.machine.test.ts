import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Keeps what it makes until the end, as clients that arrive do, and prints the bytes of the young generation. */
const GROWING = `
import { getHeapSpaceStatistics } from 'node:v8'
const kept = []
for (let round = 0; round < 50; round += 1) kept.push(Array.from({ length: 20_000 }, (_, at) => ({ at, round })))
console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size, kept.length)
`

async function youngBytes(before: string): Promise<number> {
  const words = ['--input-type=module', '--eval', `${before}\n${GROWING}`]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname })
  return Number.parseInt(stdout, 10)
}

test('a server whose clients arrive keeps its young generation as small as it was', async () => {
  const grown = await youngBytes('')
  const kept = await youngBytes(
    `import { keepYoungGenerationSmall } from './young-generation.ts'\nkeepYoungGenerationSmall()`,
  )
  assert.ok(grown > 3 * kept, `${grown} bytes beside ${kept}`)
})
