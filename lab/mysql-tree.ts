import { join } from 'node:path'
import { machineSource, ofSuite } from './apt-sources.ts'
import { buildOnce, machineArchitecture, type Tree } from './base-tree.ts'
import { contentKey } from './packages.ts'
import { CACHE_FOLDER } from './place.ts'
import { program } from './program.ts'

const BUILD_SECONDS = 900
/** No release has a package of MySQL. */
const SUITE = 'sid'
const PACKAGES = ['mysql-client-core', 'mysql-server-core']

/**
 * A tree of Debian unstable with the programs of MySQL, whose libraries are too new for this machine; made when the cache lacks
 * it: about 80 seconds and 600 MB. Throws LabFault where the mirror has no such packages.
 */
export async function ensureMysqlTree(): Promise<Tree> {
  const architecture = await machineArchitecture()
  const path = join(CACHE_FOLDER, `mysql-${contentKey([SUITE, architecture, ...PACKAGES])}`)
  return buildOnce(path, async (building) => {
    const { keyring, mirror } = ofSuite(machineSource(), SUITE)
    const words = ['--variant=minbase', `--keyring=${keyring}`, `--include=${PACKAGES.join()}`]
    await program(['debootstrap', ...words, SUITE, building, mirror], { timeoutSeconds: BUILD_SECONDS })
    await program(['chroot', building, 'apt-get', 'clean'])
  })
}
