import { Secret } from '@fleet/kernel'
import { programOf, ROOT_FILES, textFile, type Word } from '@fleet/shell'
import { FIREWALL_STATE, type Root } from '#/firewall/commands/read-state.ts'
import { type FirewallState, readState, type WriteRefusal, writeRefusals } from '#/firewall/ufw/state.ts'
import type { NodeScript } from '#/nodes/api.ts'

/** One rules file: its expected previous content, as a digest, and its new content. */
export interface Replacement {
  /** Hex SHA-256 of the bytes, or `missing`. */
  readonly before: string
  readonly text: string
}

export interface Writing {
  readonly ipv4: Replacement
  /** Undefined while IPv6 is off in UFW. */
  readonly ipv6: Replacement | undefined
  /** `files` leaves the kernel alone; `load` puts the rules in force; `enable` turns UFW on, denying what no rule admits. */
  readonly how: 'files' | 'load' | 'enable'
  /** The way over the tunnel must be proven before anything changes. */
  readonly tunnel?: { readonly address: string; readonly port: number } | undefined
  /** Ports of sshd that the rules admit from everywhere: turning UFW on needs the one of its own session among them. */
  readonly publicSshPorts: readonly number[]
  readonly root?: Root
}

/** Takes UFW's own lock, then becomes the program that is named. */
export const WITH_LOCK = textFile('with-lock.py', import.meta.url)

/**
 * Replaces the rules files and puts them in force in one round trip, under UFW's own lock. Refuses without a change if
 * the rules differ from the expected ones. Returns the state afterwards, or `refused` with a reason.
 */
export const writeRules: NodeScript<Writing, FirewallState | { readonly refused: WriteRefusal }> = {
  source: programOf(textFile('write-rules.sh', import.meta.url), ROOT_FILES, FIREWALL_STATE),
  starter: ({ root = '' }) => ['python3', '-c', WITH_LOCK, `${root}/run/ufw.lock`],
  args: wordsOf,
  shown: ({ how }) => [how],
  stdin: ({ ipv4, ipv6 }) => new Secret(ipv4.text + (ipv6?.text ?? '')),
  timeoutSeconds: 120,
  reasons: {},
  readsRefusals: true,
  broken: { code: 'node.command_failed', details: { reason: 'firewall' } },
  read: (answer) =>
    answer.has('refused') ? { refused: answer.word('refused', writeRefusals) } : readState(answer),
}

function wordsOf({ ipv4, ipv6, how, tunnel, publicSshPorts, root = '' }: Writing): readonly Word[] {
  return [
    root,
    how,
    ipv4.before,
    Buffer.byteLength(ipv4.text),
    ipv6?.before ?? '-',
    ipv6 ? Buffer.byteLength(ipv6.text) : 0,
    tunnel?.address ?? '-',
    tunnel?.port ?? publicSshPorts.join(','),
  ]
}
