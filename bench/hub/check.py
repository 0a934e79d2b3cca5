"""Tutti and huggingface_hub in one cache: what either downloads from a hub on the loopback interface, the other finds, and what
either removes leaves the same.

    pip install -r requirements.txt
    python check.py                # with ./tutti of this checkout

Nothing but the loopback interface is used. Each line of the output is something that held; the first that does not ends it.
"""
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
MODEL = HOME / 'golden/models/sharded-mixed'
NEEDED = ['config.json', 'generation_config.json', 'model.safetensors.index.json']
COMMIT, OLD = '0123456789abcdef0123456789abcdef01234567', 'fedcba9876543210fedcba9876543210fedcba98'
REVISIONS = {'main': COMMIT, 'v1.0': OLD, 'refs/pr/1': COMMIT, 'team/branch': COMMIT, COMMIT[:7]: COMMIT, COMMIT: COMMIT, OLD: OLD}
NAME = 'tiny/sharded'


def repository():
    """The model's files, and some that Tutti does not need."""
    files = {path.name: path.read_bytes() for path in sorted(MODEL.iterdir()) if not path.name.startswith('reference')}
    return files | {'README.md': b'# A model\n', 'pytorch_model.bin': b'\x80\x02' * 5000, 'onnx/model.onnx': b'onnx' * 1000,
                    'additional_chat_templates/tools.jinja': b'{{ messages }}', 'chat_template.jinja': b''}


FILES = repository()
SHARDS = [name for name in FILES if name.endswith('.safetensors')]


def is_lfs(name):
    return name.endswith(('.safetensors', '.bin', '.onnx'))


def git_sha1(data):
    return hashlib.sha1(b'blob %d\0' % len(data) + data).hexdigest()


def etag(name):
    return hashlib.sha256(FILES[name]).hexdigest() if is_lfs(name) else git_sha1(FILES[name])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    file_server = None
    bytes_a_second = None
    lists = 'everything'  # or 'names', or nothing but the 'commit'; as mirrors do
    requests = []

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.requests.append((self.command, self.path))
        api, files = f'/api/models/{NAME}', f'/{NAME}/resolve/'
        if url.path.startswith('/file/'):
            return self.send(urllib.parse.unquote(url.path[len('/file/'):]))
        if url.path.startswith(api + '/revision/') or url.path == api:
            commit = REVISIONS.get(urllib.parse.unquote(url.path[len(api) + len('/revision/'):]) or 'main')
            siblings = {} if self.lists == 'commit' else {'siblings': [self.sibling(name) for name in FILES]}
            return self.json(commit and {'id': NAME, 'sha': commit, 'private': False, 'tags': []} | siblings)
        if url.path.startswith(api + '/tree/'):
            return self.json([{'type': 'file', 'path': name, 'oid': git_sha1(data), 'size': len(data)}
                              | ({'lfs': {'oid': etag(name), 'size': len(data), 'pointerSize': 130}} if is_lfs(name) else {}) for name, data in FILES.items()])
        if url.path.startswith(files):
            revision, _, name = url.path[len(files):].partition('/')
            name, commit = urllib.parse.unquote(name), REVISIONS.get(urllib.parse.unquote(revision))
            if commit and name in FILES:
                return self.send(name, commit)
        self.json(None)

    def sibling(self, name):
        data = FILES[name]
        if self.lists == 'names':
            return {'rfilename': name}
        lfs = {'lfs': {'sha256': etag(name), 'size': len(data), 'pointerSize': 130}} if is_lfs(name) else {}
        return {'rfilename': name, 'size': len(data), 'blobId': git_sha1(data)} | lfs

    def json(self, value):
        body = json.dumps(value).encode()
        self.send_response(200 if value is not None else 404)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command == 'GET':
            self.wfile.write(body)

    def send(self, name, commit=None):
        data = FILES[name]
        if commit and is_lfs(name):
            self.send_response(302)
            self.send_header('Location', f'{self.file_server}/file/{urllib.parse.quote(name)}')
            for header, value in {'X-Repo-Commit': commit, 'X-Linked-Etag': f'"{etag(name)}"', 'X-Linked-Size': len(data), 'Content-Length': 0}.items():
                self.send_header(header, str(value))
            return self.end_headers()
        first = int((self.headers.get('Range') or 'bytes=0-')[len('bytes='):].partition('-')[0])
        self.send_response(206 if self.headers.get('Range') else 200)
        if commit:
            self.send_header('X-Repo-Commit', commit)
        if self.headers.get('Range'):
            self.send_header('Content-Range', f'bytes {first}-{len(data) - 1}/{len(data)}')
        self.send_header('ETag', f'"{etag(name)}"')
        self.send_header('Content-Length', str(len(data) - first))
        self.end_headers()
        if self.command == 'GET':
            self.write_slowly(data[first:])

    def write_slowly(self, data):
        step = self.bytes_a_second // 20 if self.bytes_a_second else len(data) or 1
        for at in range(0, len(data), step):
            self.wfile.write(data[at:at + step])
            if self.bytes_a_second:
                time.sleep(0.05)


def serve():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # clients are killed here
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f'http://127.0.0.1:{server.server_address[1]}'


Handler.file_server = serve()
os.environ['HF_ENDPOINT'] = serve()
os.environ['HF_HUB_DISABLE_TELEMETRY'] = '1'
os.environ.pop('HF_HUB_OFFLINE', None)

import huggingface_hub  # noqa: E402  (it reads its environment when it is imported)
from huggingface_hub import snapshot_download, try_to_load_from_cache  # noqa: E402
from huggingface_hub.utils import disable_progress_bars  # noqa: E402
from huggingface_hub.utils._fixes import WeakFileLock  # noqa: E402

disable_progress_bars()


def start(cache, *args, **environment):
    return subprocess.Popen([HOME / 'tutti', *args], env=os.environ | {'HF_HUB_CACHE': str(cache)} | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def tutti(cache, *args, **environment):
    process = start(cache, *args, **environment)
    out, err = process.communicate()
    return process.returncode, out.strip(), '\n'.join(line for line in err.splitlines() if 'incubator' not in line)


def pulled(cache, name=NAME):
    code, out, err = tutti(cache, 'pull', name)
    assert code == 0, err
    return out


def found(cache, name):
    code, out, err = tutti(cache, 'inspect', name, '--json')
    assert code == 0, err
    return json.loads(out)['model']


def download(cache, revision='main', **more):
    return snapshot_download(NAME, revision=revision, cache_dir=cache, **more)


def entries(cache):
    """What lies in the cache: links with where they lead, files with their bytes' hash."""
    return {str(path.relative_to(cache)): os.readlink(path) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
            for path in Path(cache).rglob('*') if path.is_symlink() or path.is_file()}


def held(what):
    print('held:', what, flush=True)


def check(work):
    theirs, ours, both = work / 'theirs', work / 'ours', work / 'both'

    paths = {revision: download(theirs, revision) for revision in REVISIONS}
    for revision, path in paths.items():
        assert found(theirs, f'{NAME}@{revision}') == path, revision
    assert found(theirs, NAME) == paths['main']
    held(f'{len(paths)} revisions that huggingface_hub downloaded are found by name')

    for revision, path in paths.items():
        path = pulled(ours, f'{NAME}@{revision}')
        assert download(ours, revision, local_files_only=True) == path, revision
        for name in NEEDED + SHARDS:
            assert Path(try_to_load_from_cache(NAME, name, ours, revision)).read_bytes() == FILES[name], (revision, name)
        assert try_to_load_from_cache(NAME, 'pytorch_model.bin', ours, revision) is None
    held(f'{len(paths)} revisions that tutti pull downloaded are read by huggingface_hub offline')

    needed = {name: value for name, value in entries(theirs / 'models--tiny--sharded').items() if name in entries(ours / 'models--tiny--sharded')}
    mine = {name: value for name, value in entries(ours / 'models--tiny--sharded').items()}
    assert needed == mine and sum('snapshots' in name for name in mine) == 2 * (len(NEEDED) + len(SHARDS) + 2), mine.keys() ^ needed.keys()
    held('every blob, link and ref of tutti pull is the one that huggingface_hub makes')

    scan = huggingface_hub.scan_cache_dir(ours)
    assert not scan.warnings and {revision.commit_hash for repo in scan.repos for revision in repo.revisions} == {COMMIT, OLD}, scan
    held('huggingface_hub scans the cache of tutti pull without a warning')

    Handler.requests.clear()
    pulled(theirs)
    assert [path for _, path in Handler.requests if '/resolve/' in path] == []
    held('tutti pull downloads nothing that huggingface_hub has downloaded')
    Handler.requests.clear()
    download(ours)
    assert not any('model-0' in path for method, path in Handler.requests if method == 'GET' and '/file/' in path)
    held('huggingface_hub downloads nothing that tutti pull has downloaded')

    Handler.bytes_a_second = max(len(FILES[name]) for name in SHARDS) // 4
    code = 'import sys, huggingface_hub as h; h.snapshot_download(sys.argv[1], cache_dir=sys.argv[2])'
    quiet = {'env': os.environ | {'HF_HUB_DISABLE_PROGRESS_BARS': '1'}}
    for seconds in (0.3, 0.6, 0.9):
        Handler.requests.clear()
        killed = subprocess.Popen([sys.executable, '-c', code, NAME, both], **quiet)
        while not any('/file/' in path for _, path in Handler.requests):
            time.sleep(0.01)
        time.sleep(seconds)
        killed.kill()
        killed.wait()
        status, _, line = tutti(both, 'inspect', NAME)
        assert status == 1 and 'only part of' in line and f'`tutti pull {NAME}`' in line, line
    held('a download of huggingface_hub that was killed in the middle is told, with what to do')
    process, other = start(both, 'pull', NAME), subprocess.Popen([sys.executable, '-c', code, NAME, both], **quiet)
    out, err = process.communicate()
    assert process.returncode == 0 and other.wait() == 0, err
    Handler.bytes_a_second = None
    assert found(both, NAME) == out.strip() == download(both, local_files_only=True)
    for name in FILES:
        assert (Path(out.strip()) / name).read_bytes() == FILES[name], name
    held('both at once, in a cache where a download was killed, end with the same whole model')

    for lists in ('names', 'commit'):
        Handler.lists = lists
        mirror = {side: work / f'{lists}-{side}' for side in ('ours', 'theirs')}
        pulled(mirror['ours'])
        download(mirror['theirs'])
        mine, all_of_them = entries(mirror['ours'] / 'models--tiny--sharded'), entries(mirror['theirs'] / 'models--tiny--sharded')
        assert mine.items() <= all_of_them.items() and len(mine) > 10, mine.keys() - all_of_them.keys()
    Handler.lists = 'everything'
    held('a mirror that lists only names, or nothing, is pulled from as huggingface_hub downloads from it')

    where = download(ours, local_files_only=True)
    for text in (f'{os.environ["HF_ENDPOINT"]}/{NAME}', f'{os.environ["HF_ENDPOINT"]}/{NAME}/tree/main', f'hf.co/{NAME}', f'hf://{NAME}@main', f' {NAME}/ '):
        assert found(ours, text) == where, text
    held('addresses of the model are found as its name is')

    flat = work / 'flat'
    download(None, local_dir=flat)
    assert found(ours, str(flat)) == str(flat)
    held('a folder of huggingface_hub (local_dir) is a model')

    down = {'HF_ENDPOINT': 'http://127.0.0.1:9'}
    for environment in (down, {'HF_HUB_OFFLINE': '1'}):
        code, out, err = tutti(ours, 'pull', NAME, **environment)
        assert code == 0 and out == where and 'whole model' in err, err
        code, out, err = tutti(work / 'nothing', 'pull', NAME, **environment)
        assert code == 1 and out == '', err
    held('what is all there is pulled without a hub')

    listed = json.loads(tutti(theirs, 'list', '--json')[1])
    scan = huggingface_hub.scan_cache_dir(theirs)
    sizes = {revision.commit_hash: (revision.size_on_disk, sorted(revision.refs)) for repo in scan.repos for revision in repo.revisions}
    assert sizes == {model['commit']: (model['bytes'], sorted(model['refs'])) for model in listed['models']}, (sizes, listed)
    assert listed['bytes'] == scan.size_on_disk
    held('tutti list has the revisions, names and sizes of huggingface_hub')

    for revision, commits in (('v1.0', [OLD]), (COMMIT, [COMMIT]), (None, [OLD, COMMIT])):
        removed = {side: work / f'removed-{revision}-{side}' for side in ('ours', 'theirs')}
        for cache in removed.values():
            shutil.copytree(theirs, cache, symlinks=True)
            blob = cache / 'models--tiny--sharded/blobs/only-old'  # what one revision alone uses
            blob.write_bytes(b'old')
            (cache / f'models--tiny--sharded/snapshots/{OLD}/only-old').symlink_to('../../blobs/only-old')
        plan = huggingface_hub.scan_cache_dir(removed['theirs']).delete_revisions(*commits)
        plan.execute()
        code, _, err = tutti(removed['ours'], 'rm', NAME if revision is None else f'{NAME}@{revision}', '--yes')
        assert code == 0, err
        left = {side: {name: value for name, value in entries(cache).items() if not name.startswith('.locks') and '/trees/' not in name} for side, cache in removed.items()}
        assert left['ours'] == left['theirs'], left
    held('tutti rm leaves what delete_revisions leaves')

    lock = work / 'locked' / '.locks' / 'models--tiny--sharded' / f'{etag(SHARDS[0])}.lock'
    lock.parent.mkdir(parents=True)
    with WeakFileLock(lock):
        process = start(work / 'locked', 'pull', NAME)
        try:
            process.wait(10)
            print("      huggingface_hub's lock does not keep tutti pull from the same blob here")
        except subprocess.TimeoutExpired:
            print("      huggingface_hub's lock keeps tutti pull waiting here")
    assert process.wait() == 0
    held('a lock of huggingface_hub does no harm')


if __name__ == '__main__':
    subprocess.run([HOME / 'tutti', '--version'], check=True)
    print('huggingface_hub', huggingface_hub.__version__)
    with tempfile.TemporaryDirectory() as directory:
        check(Path(directory).resolve())
