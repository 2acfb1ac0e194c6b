import { makeArtifact } from '#/dns/artifact.ts'
import { makeDnsChecks } from '#/dns/checks/make.ts'
import type { Dns } from '#/dns/dns.ts'
import { installOn, removeFrom } from '#/dns/install.ts'
import type { DnsDeps } from '#/dns/deps.ts'
import { answersTo } from '#/dns/answers.ts'
import { projecting, publishNames, publishOn, publishWithout } from '#/dns/publish.ts'

export type { DnsDeps } from '#/dns/deps.ts'

/** Private DNS of an installed gateway. */
export const makeDns = (deps: DnsDeps): Dns => ({
  names: {
    publish: async (call) => void (await publishNames(deps, call)),
    confirm: (call) => publishNames(deps, call),
    idle: (call) => projecting(deps, call, async () => undefined),
    publishWithout: (call, node) => publishWithout(deps, call, node),
  },
  publishAs: async (call, cluster) => void (await publishNames(deps, call, cluster)),
  ensure: async (session) => {
    await installOn(deps, session, { force: false })
    await publishOn(deps, session)
  },
  remove: (session) => removeFrom(deps, session),
  answersTo: (nodeId) => answersTo(deps, nodeId),
  artifact: makeArtifact(deps),
  checks: makeDnsChecks(deps),
})
