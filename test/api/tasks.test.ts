/** Tasks over HTTP: what is told of them, waiting, cancelling, and what is kept of those that nobody waited for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let nodeId: string;

beforeAll(async () => {
  node = await TestNode.start();
  nodeId = Object.keys((await node.get('/_nodes/_local')).json().nodes)[0] ?? '';
  await node.put('/films', {});
  await node.bulk('/films/_bulk?refresh=true', [{ index: { _id: '1' } }, { title: 'Alien' }]);
});

afterAll(async () => {
  await node.stop();
});

describe('the list of tasks', () => {
  it('shows the request that asks for it, by node, by parent and plain', async () => {
    const headers = { 'x-opaque-id': 'it is me' };
    const byNode = (await node.get('/_tasks?actions=cluster:monitor/tasks/*', headers)).json();
    const [[id, task] = ['', {} as Json]] = Object.entries<Json>(byNode.nodes[nodeId].tasks);
    expect(id).toBe(`${nodeId}:${task.id}`);
    expect(task).toMatchObject({
      node: nodeId,
      type: 'transport',
      action: 'cluster:monitor/tasks/lists',
      cancellable: false,
      headers: { 'X-Opaque-Id': 'it is me' },
    });
    expect(byNode.nodes[nodeId].roles).toContain('data');
    const plain = (await node.get('/_tasks?group_by=none&detailed=true')).json();
    expect(plain.tasks).toMatchObject([{ action: 'cluster:monitor/tasks/lists', description: '' }]);
    const byParent = (await node.get('/_tasks?group_by=parents')).json();
    expect(Object.keys(byParent.tasks)).toHaveLength(1);
  });

  it('leaves out what the filters do not name', async () => {
    expect((await node.get('/_tasks?actions=nothing*')).json().nodes).toEqual({});
    expect((await node.get(`/_tasks?parent_task_id=${nodeId}:1`)).json().nodes).toEqual({});
    expect((await node.get('/_tasks?nodes=nobody')).json().nodes).toEqual({});
    expect((await node.get('/_tasks?group_by=colour')).json().error.reason).toContain('[group_by] must be one of');
    expect((await node.get('/_tasks?parent_task_id=x')).json().error.reason).toBe('malformed task id x');
  });

  it('has a table of its own', async () => {
    const headers = { 'x-opaque-id': 'me' };
    const path = '/_cat/tasks?h=action,task_id,type,node_id,x_opaque_id&detailed&format=json';
    const rows = (await node.get(path, headers)).json();
    expect(rows).toMatchObject([{ action: 'cluster:monitor/tasks/lists', node_id: nodeId, x_opaque_id: 'me' }]);
    expect((await node.get('/_cat/tasks?actions=*merge*')).text).toBe('');
    expect((await node.get('/_cat/tasks?help')).text).toContain('parent_task_id');
  });
});

describe('a task', () => {
  it('is told of when it has ended, also after a restart of the node', async () => {
    const { task: id } = (await node.post('/films/_forcemerge?wait_for_completion=false&max_num_segments=1')).json();
    const ended = (await node.get(`/_tasks/${id}?wait_for_completion=true`)).json();
    expect(ended).toMatchObject({
      completed: true,
      task: {
        action: 'indices:admin/forcemerge',
        description:
          'Force-merge indices [films], maxSegments[1], onlyExpungeDeletes[false], flush[true], primaryOnly[false]',
      },
      response: { _shards: { successful: 1, failed: 0 } },
    });
    await node.signal('SIGKILL');
    node = await TestNode.start({}, node.directory);
    expect((await node.get(`/_tasks/${id}`)).json()).toEqual(ended);
  });

  it('keeps its error', async () => {
    const { task: id } = (await node.post('/nothing/_forcemerge?wait_for_completion=false')).json();
    const ended = (await node.get(`/_tasks/${id}?wait_for_completion=true`)).json();
    expect(ended.error).toMatchObject({ type: 'index_not_found_exception', index: 'nothing' });
  });

  it('that nobody knows is not found', async () => {
    const foreign = await node.get('/_tasks/foo:1');
    expect(foreign.status).toBe(404);
    expect(foreign.json().error.reason).toContain(
      "task [foo:1] belongs to the node [foo] which isn't part of the cluster",
    );
    const own = await node.get(`/_tasks/${nodeId}:1`);
    expect(own.json().error.reason).toBe(`task [${nodeId}:1] isn't running and hasn't stored its results`);
    expect((await node.get('/_tasks/nonsense')).status).toBe(400);
  });
});

describe('cancelling', () => {
  it('of what is not there is refused, and of nothing does nothing', async () => {
    expect((await node.post('/_tasks/_cancel?actions=unknown')).json()).toEqual({ nodes: {} });
    const missing = (await node.post(`/_tasks/${nodeId}:1/_cancel`)).json();
    expect(missing.node_failures[0].caused_by.reason).toBe(`task [${nodeId}:1] is not found`);
  });
});
