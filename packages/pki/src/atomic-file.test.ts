import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { flushFolder, placeFile, placeLink } from '#/index.ts'

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-atomic-'))
  context.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a complete file or folder gets its name, a link leads elsewhere at once, and nothing stays beside them', (context) => {
  const folder = folderOf(context)
  const [made, path] = [join(folder, 'made'), join(folder, 'path')]
  for (const text of ['one', 'two']) {
    writeFileSync(made, text)
    placeFile(made, path)
    assert.equal(readFileSync(path, 'utf8'), text)
  }
  mkdirSync(made)
  placeFile(made, join(folder, 'tree'))
  const link = join(folder, 'link')
  writeFileSync(`${link}.new`, 'of a process that was killed')
  for (const target of ['v1', 'v2']) {
    placeLink(link, target)
    assert.equal(readlinkSync(link), target)
  }
  assert.deepEqual(readdirSync(folder).toSorted(), ['link', 'path', 'tree'])
})

test('a folder that is not there cannot be flushed, and one of a file system that flushes none is passed over', (context) => {
  assert.throws(() => flushFolder(join(folderOf(context), 'gone')), { code: 'ENOENT' })
  // Of what every Linux has: a folder of the kernel, which has nothing to flush.
  flushFolder('/proc/self')
})
