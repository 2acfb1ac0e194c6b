import type { Certificates } from '#/certificates/certificates.ts'
import type { LeafJudgement, LeafVerdict } from '@fleet/pki'
import type { Clock } from '@fleet/kernel'
import type { Store } from '@fleet/store'
import { findGatewayRole } from '#/certificates/queries.ts'
import { driven, type FamilyChecks, type Finding, stored } from '#/nodes/api.ts'

export interface CertificateCheckDeps {
  readonly store: Pick<Store, 'db'>
  readonly suffix: () => Promise<string | undefined>
  readonly inspectServed: Certificates['inspectServed']
}

export const SAID: Readonly<Record<LeafVerdict, string>> = {
  good: 'good',
  due: 'due for renewal',
  expired: 'expired',
  early: 'not yet valid',
  other_names: 'for other names',
  other_root: 'of another authority',
  unreadable: 'unreadable',
}

/** What Doctor says of what a socket serves; undefined when it is good. */
export const judgeServed = (served: LeafJudgement | undefined): Finding | undefined =>
  served?.verdict === 'good'
    ? undefined
    : { expected: SAID.good, observed: served ? SAID[served.verdict] : 'none' }

/** A handshake with the socket: a process may serve what it loaded long ago, whatever its files contain. */
export const makeCertificateChecks = ({
  store,
  suffix,
  inspectServed,
}: CertificateCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, { id, wireguard_ip: address }) => {
    const [roleId, domain] = [await findGatewayRole(store.db, id), await suffix()]
    if (roleId === undefined || domain === undefined || address === null) return []
    const resource = { type: 'role', id: roleId, name: 'gateway' }
    return [
      driven('role.certificate_mismatch', resource, async () => {
        return judgeServed(await inspectServed({ address, name: `gateway.${domain}`, isForAddress: true }))
      }),
    ]
  },
})

export interface RootCheckDeps {
  readonly store: Pick<Store, 'db'>
  readonly clock: Pick<Clock, 'now'>
  /** When the root ends. */
  readonly endOf: () => Date
}

const WARNED_DAYS = 180

/** The end of the root is said in time: from then on nobody accepts any certificate of the fleet (decision 0348). */
export const makeRootChecks = ({ store, clock, endOf }: RootCheckDeps): FamilyChecks => ({
  family: 'role',
  checksOf: async (_call, { id }) => {
    const roleId = await findGatewayRole(store.db, id)
    if (roleId === undefined) return []
    return [
      stored('role.root_ending', { type: 'role', id: roleId, name: 'gateway' }, async () => {
        const end = endOf()
        if (end.getTime() - clock.now().getTime() > WARNED_DAYS * 86_400_000) return undefined
        const verb = end <= clock.now() ? 'ended' : 'ends'
        return {
          expected: `valid for more than ${WARNED_DAYS} days`,
          observed: `${verb} on ${end.toISOString().slice(0, 10)}`,
        }
      }),
    ]
  },
})
