import { ForwardRefused, type CommandResult, SshFailure, type SshPool, type SshTarget } from '@fleet/ssh'
import { FINGERPRINT } from './factories.ts'

/** What a machine answers to a command: its standard output, or how it goes wrong. */
export type Reply = string | { readonly exitCode: number; readonly stdout?: string } | Error

/** Machines that answer by script: nothing runs anywhere. */
export interface ScriptedPool extends SshPool {
  /** `user@host:port shown` of every command, `scan host:port`, `probe user@host:port` and `forget id`, in order. */
  readonly asked: string[]
  /** By a part of what a command shows, the newest first; a command that none fits succeeds with no output. */
  reply(part: string, reply: Reply): void
  /** Answers before any script; undefined leaves it to them. */
  onRun: (target: SshTarget, shown: string) => Reply | undefined
  /** The key that every machine presents. */
  hostKey: string | SshFailure
  /** What a probe meets; undefined when the machine answers. */
  probeFailure: SshFailure | undefined
}

export function scriptedPool(): ScriptedPool {
  const asked: string[] = []
  const replies: Array<readonly [string, Reply]> = []
  const at = ({ user, host, port }: SshTarget): string => `${user}@${host}:${port}`
  return {
    asked,
    hostKey: FINGERPRINT,
    probeFailure: undefined,
    reply: (part, reply) => void replies.unshift([part, reply]),
    onRun: () => undefined,
    async run(target, { shown }, { signal }) {
      if (signal?.aborted) throw new SshFailure('cancelled', false)
      asked.push(`${at(target)} ${shown}`)
      const reply = this.onRun(target, shown)
      if (reply !== undefined) return resultOf(reply)
      return resultOf(replies.find(([part]) => shown.includes(part))?.[1] ?? '')
    },
    async forward(target) {
      asked.push(`forward ${at(target)}`)
      throw new ForwardRefused('a scripted pool has nothing behind it')
    },
    async scan(host, port) {
      asked.push(`scan ${host}:${port}`)
      if (this.hostKey instanceof SshFailure) throw this.hostKey
      return this.hostKey
    },
    async probe(target) {
      asked.push(`probe ${at(target)}`)
      if (this.probeFailure) throw this.probeFailure
    },
    forget: (nodeId) => void asked.push(`forget ${nodeId}`),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function resultOf(reply: Reply): CommandResult {
  if (reply instanceof Error) throw reply
  const { exitCode, stdout = '' } = typeof reply === 'string' ? { exitCode: 0, stdout: reply } : reply
  return { exitCode, signal: null, stdout: Buffer.from(stdout), stderr: Buffer.alloc(0) }
}
