import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { file } from './deploy.ts'
import { freePort } from './free-port.ts'
import { startProcess } from './processes.ts'
import { end, undoAll, until } from './replica.ts'

const PATHS = [process.env.KALENDS_TEST_NGINX, '/usr/sbin/nginx', '/usr/bin/nginx'].filter((path) => path !== undefined)
const nginx = PATHS.find((path) => existsSync(path))

/** Why tests of the load balancer do not run here, or false. */
export const NO_NGINX: string | false =
  nginx === undefined ? `no nginx at ${PATHS.join(', ')}: set KALENDS_TEST_NGINX` : false

export interface Balancer {
  readonly port: number
  /** What it has told on its error log. */
  out(): string
  stop(): Promise<void>
}

/** Starts nginx with the project's own configuration, the nodes being at these ports. */
export async function startBalancer(ports: Readonly<Record<string, number>>): Promise<Balancer> {
  if (nginx === undefined) throw new Error(String(NO_NGINX))
  const folder = mkdtempSync(join(tmpdir(), 'kalends-nginx-'))
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  // As root its workers are another user, who must reach the bodies that it keeps here.
  chmodSync(folder, 0o755)
  const port = await freePort()
  writeFileSync(join(folder, 'default.conf'), configuration(port, ports))
  writeFileSync(join(folder, 'nginx.conf'), surrounding(folder))
  const child = startProcess(nginx, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'])
  undo.push(() => end(child))
  let out = ''
  child.stderr.on('data', (chunk) => {
    out = `${out}${chunk}`.slice(-5000)
  })
  child.on('error', (error) => {
    out += error
  })
  const stop = () => undoAll(undo)
  try {
    await until(async () => {
      if (child.exitCode !== null) return true
      await fetch(`http://127.0.0.1:${port}/healthz`)
      return true
    })
    if (child.exitCode !== null) throw new Error('it has ended')
  } catch (error) {
    await stop()
    throw new Error(`nginx did not start: ${out}`, { cause: error })
  }
  return { port, out: () => out, stop }
}

/** deploy/nginx.conf with ports of this machine. There are no names to look up, nor could every nginx look them up. */
function configuration(port: number, ports: Readonly<Record<string, number>>): string {
  const edits: [RegExp, string][] = [
    [/^\s*resolver .*\n/m, ''],
    [/ resolve /g, ' '],
    [/\blisten 80;/, `listen 127.0.0.1:${port};`],
    ...Object.entries(ports).map(([name, at]): [RegExp, string] => [
      new RegExp(`\\bserver ${name}:8080\\b`),
      `server 127.0.0.1:${at}`,
    ]),
  ]
  return edits.reduce((text, [pattern, replacement]) => {
    if (!pattern.test(text)) throw new Error(`deploy/nginx.conf has no ${pattern}`)
    return text.replace(pattern, replacement)
  }, file('deploy/nginx.conf'))
}

/** What the image of nginx has around it, with all of its files in one folder. */
function surrounding(folder: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
worker_processes 2;
pid ${folder}/pid;
events { worker_connections 1024; }
http {
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  keepalive_timeout 65;
  ${places.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  include ${folder}/default.conf;
}
`
}
