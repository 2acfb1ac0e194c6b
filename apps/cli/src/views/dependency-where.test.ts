import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '#/print/value.ts'
import { plain } from '#/terminal.ts'
import { views } from './index.ts'

async function printed(name: string, data: Json): Promise<string> {
  const view = (await views[name]?.()) ?? assert.fail(name)
  const lines = await view.lines(data, undefined, { columns: 100, colors: plain, messageOf: () => undefined })
  return lines.map((line) => `${line}\n`).join('')
}

test('a package that nobody has is told with the range that was asked for', async () => {
  const nothing = { package: 'lodash', versions: [], holders: [], next: null }
  const told = 'No scanned Instance that you can access has lodash'
  const withRange = await printed('dependency:where', { ...nothing, range: '<4.17.21' })
  assert.equal(withRange, `${told} in the range <4.17.21.\n`)
  assert.equal(await printed('dependency:where', { ...nothing, range: null }), `${told}.\n`)
})

test('where a package is says of how many Instances that is not known', async () => {
  const nothing = { package: 'lodash', range: null, versions: [], holders: [], next: null }
  const not_current = [
    { ecosystem: 'composer', unknown: 7, stale: 0 },
    { ecosystem: 'npm', unknown: 1, stale: 2 },
  ]
  assert.equal(
    await printed('dependency:where', { ...nothing, not_current }),
    `No scanned Instance that you can access has lodash.

Not read: composer of 7 Instances. Any of them may have the package.
Not read: npm of 1 Instance. It may have the package.
Stale: npm of 2 Instances, whose latest scan failed.
fleet instance:dependencies:scan --all reads them, or says which cannot be read and why.
`,
  )
  const versions = [{ ecosystem: 'npm', version: '1.0.0', instances: 1 }]
  assert.match(
    await printed('dependency:where', { ...nothing, versions, not_current }),
    /^Versions\n +1\.0\.0 +npm, 1 Instance\n\nNot read: composer of 7 Instances\./,
  )
})
