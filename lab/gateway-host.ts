import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RoleName } from '@fleet/contract'
import type { Host } from './host.ts'
import { type Ended, LabFault, type Words } from './program.ts'
import { waitFor } from './wait.ts'

/** Name of the first Node, as the installation gives it. */
export const GATEWAY_NODE = 'gateway'

/** Longer than the gateway itself takes to give up. */
const COMMAND_SECONDS = 620
const READY_SECONDS = 60

export interface Enrolment {
  readonly roles: readonly RoleName[]
  /** More words of `fleet node:add`. */
  readonly words?: readonly string[]
}

/** A host on which a gateway is installed, asked by its own command line as root there. */
export class GatewayHost {
  readonly host: Host

  constructor(host: Host) {
    this.host = host
  }

  /** `fleet WORDS` on the gateway's machine; a failure is an answer. */
  fleet(words: Words): Promise<Ended> {
    return this.host.attempt(['fleet', ...words], { timeoutSeconds: COMMAND_SECONDS })
  }

  /** Whether a gateway is installed there and answers. */
  async answers(): Promise<boolean> {
    const { status } = await this.host.attempt([
      'sh',
      '-c',
      'command -v fleet >/dev/null && fleet gateway:status',
    ])
    return status === 0
  }

  /** Waits until the gateway of a host that has just booted answers. Throws LabFault. */
  async ready(): Promise<void> {
    const isReady = await waitFor(READY_SECONDS, async () => ((await this.answers()) ? true : undefined))
    if (isReady !== true) throw new LabFault(`the gateway on ${this.host.name} does not answer`)
  }

  /** `data` of a command's answer. Throws LabFault with what was said instead. */
  async data(words: Words): Promise<unknown> {
    const { status, stdout, stderr } = await this.fleet([...words, '--json'])
    // A report that something is wrong ends with status 1, and is an answer all the same.
    const isReport = status === 1 && stdout !== '' && /^doctor(?::run)?$/.test(words[0] ?? '')
    if (status !== 0 && !isReport)
      throw new LabFault(`fleet ${words.join(' ')} ended with status ${status}\n${stderr}`)
    const answer = JSON.parse(stdout) as { readonly data: unknown } // The envelope of a success.
    return answer.data
  }

  /** Puts the gateway's key where a person puts it: among those that may log in as root on a new machine. */
  async letIn(host: Host): Promise<void> {
    const { public_key: key } = (await this.data(['gateway:ssh-key'])) as { readonly public_key: string } // Its declared answer.
    const file = join(host.root, 'root/.ssh/authorized_keys')
    if (!readFileSync(file, 'utf8').includes(key)) appendFileSync(file, `${key}\n`)
    // It is still there when the host loses its power later.
    await host.run(['sync', '-f', '/root/.ssh/authorized_keys'])
  }

  /** The words that enroll a host, as a person types them. */
  async addWords(host: Host, { roles, words = [] }: Enrolment): Promise<Words> {
    const fingerprint = await host.fingerprint()
    return [
      'node:add',
      host.name,
      host.address,
      '--host-key-fingerprint',
      fingerprint,
      ...roles.flatMap((role) => ['--roles', role]),
      ...words,
    ]
  }

  /** Enrolls a host and answers what the command line said of its steps. Throws LabFault when it fails. */
  async enroll(host: Host, enrolment: Enrolment): Promise<string> {
    await this.letIn(host)
    const words = await this.addWords(host, enrolment)
    const { status, stdout, stderr } = await this.fleet(words)
    if (status !== 0)
      throw new LabFault(`fleet ${words.join(' ')} ended with status ${status}\n${stdout}${stderr}`)
    const [, id = ''] = /^id +(\d+)$/m.exec(stdout) ?? []
    // Nobody but the new Node itself may act on it before.
    await this.data(['node:access:add', id, GATEWAY_NODE])
    return stderr
  }
}
