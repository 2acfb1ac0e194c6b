import { makeArtifact } from '#/dns/artifact.ts'
import { makeDnsChecks } from '#/dns/checks/make.ts'
import type { Dns } from '#/dns/dns.ts'
import { installOn, removeFrom } from '#/dns/install.ts'
import type { DnsParts } from '#/dns/parts.ts'
import { answersTo } from '#/dns/answers.ts'
import { projecting, publishNames, publishOn, publishWithout } from '#/dns/publish.ts'

export type { DnsParts } from '#/dns/parts.ts'

/** Private DNS of an installed gateway. */
export const makeDns = (parts: DnsParts): Dns => ({
  names: {
    publish: async (call) => void (await publishNames(parts, call)),
    confirm: (call) => publishNames(parts, call),
    idle: (call) => projecting(parts, call, async () => undefined),
    publishWithout: (call, node) => publishWithout(parts, call, node),
  },
  publishAs: async (call, cluster) => void (await publishNames(parts, call, cluster)),
  ensure: async (session) => {
    await installOn(parts, session, { force: false })
    await publishOn(parts, session)
  },
  remove: (session) => removeFrom(parts, session),
  answersTo: (nodeId) => answersTo(parts, nodeId),
  artifact: makeArtifact(parts),
  checks: makeDnsChecks(parts),
})
