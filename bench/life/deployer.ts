import type { Master } from '../master.ts'

/** What a release is made from, and how. */
export interface Recipe {
  readonly home: string
  readonly repository: string
  readonly branch: string
  /** Before the switch and after it. */
  readonly steps: readonly [string, string]
}

const KEEP = 3

/**
 * A release as the common recipe of Deployer 7 makes it, task by task over one connection: a lock, a mirror that is brought up to
 * date, an archive of its branch, shared files, the steps, one rename, the unlock and the clean-up. It flushes nothing.
 */
export async function deployByRecipe(master: Master, number: number, recipe: Recipe): Promise<void> {
  for (const task of tasksOf(number, recipe)) await master.run(`cd ${recipe.home} && ${task}`)
}

const tasksOf = (number: number, { home, repository, branch, steps }: Recipe): readonly string[] => {
  const release = `releases/${number}`
  return [
    'mkdir -p .dep releases shared && [ ! -e current ] || [ -L current ]',
    '[ ! -f .dep/deploy.lock ] && echo bench >.dep/deploy.lock',
    `ls -t -1 -d releases/*/ 2>/dev/null; mkdir ${release} && ln -nfs ${release} release && echo ${number} >>.dep/releases_log`,
    `[ -d .dep/repo ] || git clone -q --mirror ${repository} .dep/repo; cd .dep/repo && git remote set-url origin ${repository} && git fetch -q --prune`,
    `cd .dep/repo && git archive ${branch} | tar -x -f - -C ${home}/${release} && git rev-list ${branch} -1 >${home}/${release}/REVISION`,
    `touch shared/.env && ln -nfs ${home}/shared/.env ${release}/.env`,
    `cd ${release} && ${steps[0]}`,
    `mv -T release current`,
    `cd current && ${steps[1]}`,
    'rm -f .dep/deploy.lock',
    `for old in $(ls -1 releases | sort -n | head -n -${KEEP}); do rm -rf releases/$old; done`,
  ]
}

/**
 * A release as Kamal ships an image, without a container engine: what is built on this machine is packed, compressed, sent whole,
 * unpacked and taken into use.
 */
export async function deployAsImage(
  master: Master,
  number: number,
  { home, repository, branch, steps }: Recipe,
  local: (line: string) => Promise<unknown>,
): Promise<void> {
  const build = `${home}/build-${number}`
  await local(
    `git clone -q --depth 1 --branch ${branch} ${repository} ${build} && cd ${build} && ${steps[0]}`,
  )
  await master.run(`mkdir -p ${home}/images/${number} && [ ! -e ${home}/image.lock ]`)
  await local(
    `tar -c -C ${build} --exclude=./.git . | gzip -1 | ssh ${master.words.map(quoted).join(' ')} ${master.host} ` +
      `${quoted(`tar -xz -C ${home}/images/${number}`)} && rm -rf ${build}`,
  )
  await master.run(`cd ${home} && ln -nfs images/${number} next && mv -T next current`)
  await master.run(`cd ${home}/current && ${steps[1]}`)
  await master.run(
    `cd ${home} && for old in $(ls -1 images | sort -n | head -n -${KEEP}); do rm -rf images/$old; done`,
  )
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
