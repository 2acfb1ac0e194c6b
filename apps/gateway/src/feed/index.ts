export { Broadcaster } from './broadcaster.ts'
export type { Feed } from './feed.ts'
export { makePoster, type Poster } from './post.ts'
