# SPDX-License-Identifier: Apache-2.0
"""Files that were written when their version of the format was new: they load, and would be written the same today."""

import base64
import zlib

import numpy as np
import pytest

import gaspipe as gp
from streams import AMPLE

# By version; packed by zlib.
FILES = {
    "1.0": """
eNrrdA8O4OWS4mJkYGC4+Ff9yTIQAwh6mSB0tVJRfnmxkpWxjlJyfk5pbh6EnZqSngpkmegoFacml2Tmg4Sjq5WyM/NSlKyU8tPSilNLipV0lFJK
KgtSgSI2pSZAXnFGIogXbRILZJckFpUoWRnoKCVVloDMMjQDWlGUbGwEVG6elGhoZpRqolSrAzcUqD6dSEPNTLCaapZkbmyebGmAbGp5amZ6Bqqp
aRbYTTU0soAba2yEMNbCONUk2dAUxdicxKTUHGRTs4rz85CMNUYy1tII4VpjhLEGBinGycYg18bWMuAFoKhiBmIWBtIBSC8jA8XgAIS6YA+hf0Bp
DgdCGqOVEoHBkgTEyUqxAEa3gCg=
    """,
    "1.1": """
eNrlk81OwkAQx1vhYEh4AU9mzw223VKBkMhJriYcCWl22y1U2i5utyJBHsAH8T18BGN8EW8enW3F1gMknp1kMx/d+f9m0uzTeHLTbp21dE3X3icf
16OGVli7WfotEnydoQE2kM/jPEnLmAVzBpFjoExywQI02KI1i+YLCVU0DHsIvmyShEkR+WggRc6gECWrmO2zlM2JjO6Zx4WXknRfjokAaemVagDr
mDtoZb6MuIJPt2gZpQAsZvBozP1lBrSUJCCNQi7WRARQCORmpSqPuaWGWRCVTR13pmYmAqRNA9GNLPZwYT3hYxvuB5ZNbYoxNAl2l0fFdmq2nfEb
DSF7OEYe5k6NbBmWWbFdp4KbFZx1XYe6TvcYnIdhxmR2EORUFMvu/WCs2o6XlFiuzRxUk40JZXFd9TbjaU0W12T7diWLK1nTDLCP+ybazXbn/8PK
V/J6VXrtpXSf3/npSNdOylBXL+ywdeCM354v1LNr1Oqq+1jf/o7qaWp/tyki8I8pHB/NvgBXrdvd
    """,
    "1.2": """
eNrtV71u2zAQlpsUKQJkyNqp4Cyk/JEZ2QjQbFkLdDQMgZIoW7UtpRQVN3BcdC36HH2PPkLRqY+SsUerDmWkcocsHfgBBHnHu+87HgVB+nL17u3J
8cvjnvfM+3rw6/TyubfByWkzr5AqlxUaMh8l5bxeFM1aphMJq8BHlS6VTNFwhZYyn0w1eNFFFiLYuV0spFZ5goZa1RIc+eJ6LrdWISdC5zcyKlVU
iGLrngsF1Dpq2EDsDK/Bm1eGeYVupKryEqKJj5almoGJhtQUl8oozk0Qo5BQyURDHJijFZrlBVS4KTqK52Uyq6C8QiygFpSVailUCo5U314bz11N
TPVTYaxRwMfmkEJBLdhH8a3eHJyDpEoYhfiU0JjGjEGSkh/qfNMOc5i1vysNS/lxn/JFHbSUiU+w1eaBFcdWXPZ5EPOgv0+8zLJK6qpTKLAqhIYP
MqR1xvNYEE5lgFq05k4iJZNSpVVn+yjvtxpIBvSB3uxYAcFZ1sdh9kggmcrmvjqaZMlpGLYuyFJzKjgPyfkjam0eNd1de5t7ENj+k1ZfAkxpjNMd
bhHLeZv1fQUPrKVllpZh3Oo3s7wYpyxhA4zW4/Urh/8XzVvyx5tm9r430/0f+8Wlea9u0Ot5Pa8bZzCufn57fQjzQctvsvflbWNMzqHn4ODg4ODg
4ODg8G/0dgd8s3qf/7a//dbsyu/a34dP9/XRU2o/euLZR0jAr1kMI0Hj3/9wWEs=
    """,
}
EDGES = (["b", "a", "c", "a"], ["a", "c", "a", "b"], np.array([1.5, -2, 3, 0.25]))


@pytest.fixture(params=FILES)
def version(request):
    return request.param


@pytest.fixture
def path(tmp_path, version):
    path = tmp_path / "old.gaspipe"
    path.write_bytes(zlib.decompress(base64.b64decode(FILES[version])))
    return path


def test_it_loads(path, version):
    content = path.read_bytes()
    assert f"{content[8]}.{content[10]}" == version
    graph = gp.Graph.load(path)
    assert graph.labels.tolist() == ["a", "b", "c"]
    wanted = [[0, 0.25, -2], [1.5, 0, 0], [3, 0, 0]]
    np.testing.assert_array_equal(graph.to_scipy().toarray(), wanted)


def test_it_is_streamed_where_its_edges_lie_in_blocks(path, version):
    if version == "1.0":
        with pytest.raises(gp.InputError, match="blocks"):
            gp.Graph.load(path, memory=AMPLE)
        return
    graph = gp.Graph.load(path, memory=AMPLE)
    assert gp.bfs(graph, "b").to_dict() == {"a": 1, "b": 0, "c": 2}
    if version == "1.1":
        with pytest.raises(gp.InputError, match="has no lists for workers"):
            gp.bfs(graph, "b", method="local_store")
        return
    assert gp.bfs(graph, "b", method="local_store").to_dict() == {"a": 1, "b": 0, "c": 2}


def test_it_would_be_written_the_same_today(path, version, tmp_path):
    graph, again = gp.Graph(EDGES), tmp_path / "new.gaspipe"
    if version == "1.2":
        gp.convert(graph, again, workers=2)
    else:
        graph.save(again, blocks=version == "1.1")
    assert again.read_bytes() == path.read_bytes()
