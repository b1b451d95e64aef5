// What models wear besides the kit, and shells around items and players.

models/strafe/glow_entity
{
	{
		map $whiteimage
		rgbGen const ( 0.35 0.24 0.1 )
	}
	{
		map $whiteimage
		blendFunc add
		rgbGen entity
	}
}

models/strafe/portal
{
	{
		clampmap textures/strafe/teleporter.jpg
		tcMod rotate 60
		rgbGen identity
	}
}

models/strafe/flash_rail
{
	cull none
	{
		clampmap gfx/strafe/flare.jpg
		blendFunc add
		rgbGen entity
	}
}

models/strafe/flash_rail_front
{
	cull none
	{
		clampmap gfx/strafe/ring.jpg
		blendFunc add
		rgbGen entity
	}
	{
		clampmap gfx/strafe/flare.jpg
		blendFunc add
		rgbGen entity
	}
}

models/strafe/flash_fire
{
	cull none
	{
		clampmap gfx/strafe/flash.jpg
		blendFunc add
		rgbGen identity
	}
}

models/strafe/flash_fire_front
{
	cull none
	{
		clampmap gfx/strafe/spark.jpg
		blendFunc add
		rgbGen identity
	}
	{
		clampmap gfx/strafe/flare.jpg
		blendFunc add
		rgbGen const ( 1 0.6 0.2 )
	}
}

models/strafe/flame
{
	cull none
	{
		clampmap gfx/strafe/flash.jpg
		blendFunc add
		rgbGen wave noise 0.8 0.2 0 15
	}
}

models/strafe/crackle
{
	cull none
	{
		clampmap gfx/strafe/spark.jpg
		blendFunc add
		tcMod rotate 480
		rgbGen const ( 0.45 0.7 1 )
	}
	{
		clampmap gfx/strafe/spark.jpg
		blendFunc add
		tcMod rotate -710
		tcMod stretch sin 0.8 0.2 0 13
		rgbGen const ( 0.3 0.4 1 )
	}
}

powerups/invisibility
{
	sort additive
	{
		map models/strafe/sheen.jpg
		blendFunc add
		tcGen environment
		tcMod turb 0 0.25 0 0.5
		rgbGen const ( 0.5 0.55 0.6 )
	}
}
