import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openBackup } from './restore.ts'

test('what is no backup is refused by its name, before anything is unpacked', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-no-backup-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'passwd')
  writeFileSync(file, 'root:x:0:0:root:/root:/bin/bash\n')
  for (const path of [folder, file])
    await assert.rejects(openBackup(path, undefined), {
      name: 'Refusal',
      message: `${path} is not a backup of a gateway.`,
      next: './install --restore FILE, with the file that `fleet-gateway backup FILE` wrote',
    })
  const missing = join(folder, 'missing')
  await assert.rejects(openBackup(missing, undefined), { message: `${missing} does not exist.` })
})
