import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { Secret } from '@fleet/kernel'
import { Refusal } from '#/console/refusal.ts'
import { type BackupList, listFiles, readBackup } from './contents.ts'
import { isSealed, openFile, sealFile } from './sealed-file.ts'

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'fleet-backup-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('a sealed file opens with its passphrase alone, and with no byte of it changed', async (context) => {
  const at = folder(context)
  const [plain, sealed, opened] = ['plain', 'sealed', 'opened'].map((name) => join(at, name)) as [
    string,
    string,
    string,
  ] // One for each name above.
  const content = 'canary '.repeat(50_000)
  writeFileSync(plain, content)
  // A thousandth of the work: the test is about the format.
  await sealFile(plain, sealed, new Secret('right'), 7)
  assert.deepEqual([await isSealed(plain), await isSealed(sealed)], [false, true])
  assert.equal(readFileSync(sealed, 'latin1').includes('canary'), false)
  assert.equal(statSync(sealed).mode & 0o777, 0o600)
  await openFile(sealed, opened, new Secret('right'))
  assert.equal(readFileSync(opened, 'utf8'), content)
  await assert.rejects(openFile(sealed, opened, new Secret('wrong')), Refusal)
  const bytes = readFileSync(sealed)
  for (const at of [8, 9, 30, 60, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at)
    writeFileSync(sealed, changed)
    await assert.rejects(openFile(sealed, opened, new Secret('right')), Refusal, `byte ${at}`)
  }
})

/** Of the first release, with the passphrase `right`. */
const FIRST =
  'RkxFRVRCSzEEI2PzLt2L7fUFEUjWdDAF0a7p2EFSFlIOtMh+KuGyWPQbIe7WL/RogH8x0VMHU2YnRX2MGKtmSw/7Nafxdw6b6yOLJZCKfiE32A=='

test('a backup of an earlier release still opens', async (context) => {
  const at = folder(context)
  writeFileSync(join(at, 'sealed'), Buffer.from(FIRST, 'base64'))
  await openFile(join(at, 'sealed'), join(at, 'opened'), new Secret('right'))
  assert.equal(readFileSync(join(at, 'opened'), 'utf8'), 'records of the first release\n')
})

async function unpacked(context: TestContext): Promise<{ readonly at: string; readonly about: BackupList }> {
  const at = folder(context)
  mkdirSync(join(at, 'home/ca'), { recursive: true })
  writeFileSync(join(at, 'home/gateway.sqlite'), 'records')
  writeFileSync(join(at, 'home/ca/root.crt'), 'root')
  const about: BackupList = {
    product: 'fleet',
    format: 1,
    version: 'v1',
    created_at: '2026-01-02T03:04:05.000Z',
    gateway_id: '00000000-0000-4000-8000-000000000001',
    node: { name: 'gateway', public_ssh_host: '192.0.2.1', public_ssh_port: 22, wireguard_ip: '10.44.0.1' },
    files: await listFiles(at),
  }
  writeFileSync(join(at, 'backup.json'), JSON.stringify(about))
  return { at, about }
}

test('a backup is what its list says; a file that differs or lacks refuses all of it', async (context) => {
  const { at, about } = await unpacked(context)
  assert.deepEqual(await readBackup(at), about)
  assert.deepEqual(
    about.files.map(({ path }) => path),
    ['home/ca/root.crt', 'home/gateway.sqlite'],
  )
  writeFileSync(join(at, 'home/ca/root.crt'), 'other')
  await assert.rejects(readBackup(at), {
    message: 'The backup is damaged: the digest of home/ca/root.crt does not match.',
  })
  rmSync(join(at, 'home/ca/root.crt'))
  await assert.rejects(readBackup(at), /home\/ca\/root\.crt/)
  writeFileSync(
    join(at, 'backup.json'),
    JSON.stringify({ ...about, files: [{ path: 'home/../../etc/passwd', sha256: '' }] }),
  )
  await assert.rejects(readBackup(at), { message: 'The file is not a backup of a Fleet gateway.' })
})
