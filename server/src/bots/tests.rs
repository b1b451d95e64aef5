//! Tests of what bots know of the test room.

use super::{
    build::Builder,
    graph::{Graph, Link},
    path::Ways,
};
use crate::{
    cvars::Cvars,
    game::{Game, Start, tests::svtest},
};
use shared::cm::ClipMap;

/// The graph of the test room, made in pieces of so many sweeps.
fn graph(sweeps: u32) -> Graph {
    let cvars = Cvars::default();
    let bsp = svtest();
    let map = ClipMap::new(&bsp).expect("a map");
    let mut game = Game::new(map, &bsp, Start::default(), &cvars).expect("entities");
    for time in [0, 100, 200, 300] {
        game.frame(time, &cvars);
    }
    let mut builder = Builder::new(&game);
    for _ in 0..1_000_000 {
        if builder.is_done {
            break;
        }
        builder.step(&game, sweeps);
    }
    assert!(builder.is_done);
    builder.graph
}

fn has(graph: &Graph, is_wanted: impl Fn(Link) -> bool) -> bool {
    let mut edges = graph.nodes.iter().flat_map(|node| &node.edges);
    edges.any(|edge| is_wanted(edge.link))
}

#[test]
fn the_test_room_is_known_with_all_its_ways() {
    let graph = graph(100_000);
    assert!(graph.nodes.len() > 200, "{}", graph.nodes.len());
    assert!(has(&graph, |link| link == Link::Pad), "the jump pad");
    assert!(has(&graph, |link| link == Link::Teleport), "the teleporter");
    assert!(
        has(&graph, |link| matches!(link, Link::Lift(_))),
        "the plat"
    );
    assert!(has(&graph, |link| link == Link::Swim), "the water");
}

#[test]
fn there_is_a_path_to_every_item() {
    let graph = graph(100_000);
    assert!(!graph.spots.is_empty() && !graph.spawns.is_empty());
    let ways = Ways::search(&graph, graph.spawns[0], |_, _| false);
    for spot in &graph.spots {
        let node = spot.node.expect("a place to take it from");
        assert!(ways.msec[node] < 60_000, "{spot:?}");
        let path = ways.path(node);
        let mut at = graph.spawns[0];
        for leg in path {
            assert_eq!(leg.from, at);
            at = graph.nodes[at].edges[leg.edge].to;
        }
        assert_eq!(at, node);
    }
}

#[test]
fn the_size_of_the_pieces_does_not_matter() {
    let (whole, pieces) = (graph(u32::MAX), graph(50));
    let places = |graph: &Graph| -> Vec<[u32; 3]> {
        let place = |node: &super::graph::Node| node.at.to_array().map(f32::to_bits);
        graph.nodes.iter().map(place).collect()
    };
    assert_eq!(places(&whole), places(&pieces));
    assert_eq!(whole.edge_count(), pieces.edge_count());
}

#[test]
fn a_shut_way_is_gone_round_or_not_at_all() {
    let graph = graph(100_000);
    let start = graph.spawns[0];
    let ways = Ways::search(&graph, start, |from, _| from == start);
    assert!(
        ways.msec
            .iter()
            .enumerate()
            .all(|(node, msec)| node == start || *msec == u32::MAX)
    );
}
