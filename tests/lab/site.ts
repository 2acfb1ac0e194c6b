import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Secret, systemClock } from '@fleet/kernel'
import { createSshPool, type SshPool, type SshPoolOptions, type SshTarget } from '@fleet/ssh'
import { type Host, type Lab, labMissing, openLab, placeOf, suites, TEST_PURPOSES } from '../../lab/index.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const missing = labMissing()

/** Whether this machine can have real hosts. */
export const canHaveLab = missing === undefined

/** Options of every test on real hosts: skipped with the reason where there can be none. */
export const onHosts = missing === undefined ? {} : { skip: missing }

/** Where this test process has its lab: the runner names one that no other has. */
export const TEST_PLACE = placeOf(
  ROOT,
  TEST_PURPOSES.find((purpose) => purpose === process.env['FLEET_TEST_LAB']) ?? 'test',
)

/** Release of the hosts of this run; that of the machine when absent. */
const SUITE = suites.find((suite) => suite === process.env['FLEET_LAB_SUITE'])

/** The lab of this test process; hosts that a test makes are its own to remove. */
export const testLab = (): Promise<Lab> => openLab({ ...TEST_PLACE, suite: SUITE })

/** Where a host answers as root, with the key that it was made with. */
export const targetOf = async (host: Host): Promise<SshTarget> => ({
  nodeId: 1,
  host: host.address,
  port: 22,
  user: 'root',
  fingerprint: await host.fingerprint(),
})

/** A pool that may log in as root on every host of the lab. */
export const poolOf = (lab: Lab, options: Partial<SshPoolOptions> = {}): SshPool =>
  createSshPool({
    privateKey: new Secret(readFileSync(lab.key.privateKeyFile, 'utf8')),
    clock: systemClock,
    ...options,
  })

/** Ids, in the host, of the processes whose whole command line is this. */
export async function processesOf(host: Host, commandLine: string): Promise<readonly string[]> {
  const { stdout } = await host.attempt(['pgrep', '--full', '--exact', commandLine])
  return stdout.split('\n').filter((line) => line !== '')
}

/** The text of a file in the host; undefined when there is none. */
export async function fileOn(host: Host, path: string): Promise<string | undefined> {
  const { status, stdout } = await host.attempt(['cat', '--', path])
  return status === 0 ? stdout : undefined
}
