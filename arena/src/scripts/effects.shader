// Fire, smoke, light, marks and sprites.

rocketExplosion
{
	cull none
	{
		animMap 8 gfx/strafe/fire1.jpg gfx/strafe/fire2.jpg gfx/strafe/fire3.jpg gfx/strafe/fire4.jpg gfx/strafe/fire5.jpg gfx/strafe/fire6.jpg gfx/strafe/fire7.jpg gfx/strafe/fire8.jpg
		blendFunc add
		rgbGen identity
	}
	{
		clampmap gfx/strafe/flare.jpg
		blendFunc add
		rgbGen wave inversesawtooth -0.4 1.3 0 1
	}
}

grenadeExplosion
{
	cull none
	{
		animMap 13 gfx/strafe/fire1.jpg gfx/strafe/fire2.jpg gfx/strafe/fire3.jpg gfx/strafe/fire4.jpg gfx/strafe/fire5.jpg gfx/strafe/fire6.jpg gfx/strafe/fire7.jpg gfx/strafe/fire8.jpg
		blendFunc add
		rgbGen identity
	}
}

bfgExplosion
{
	cull none
	{
		animMap 13 gfx/strafe/fire1.jpg gfx/strafe/fire2.jpg gfx/strafe/fire3.jpg gfx/strafe/fire4.jpg gfx/strafe/fire5.jpg gfx/strafe/fire6.jpg gfx/strafe/fire7.jpg gfx/strafe/fire8.jpg
		blendFunc add
		rgbGen const ( 0.35 1 0.4 )
	}
	{
		clampmap gfx/strafe/ring.jpg
		blendFunc GL_SRC_ALPHA GL_ONE
		tcMod stretch sawtooth 0.3 0.8 0 1.6
		rgbGen const ( 0.3 1 0.35 )
		alphaGen wave inversesawtooth 0 1 0 1.6
	}
}

bulletExplosion
{
	cull none
	{
		clampmap gfx/strafe/spark.jpg
		blendFunc add
		rgbGen wave inversesawtooth -0.8 1.8 0 1.6
	}
}

plasmaExplosion
{
	cull none
	{
		map gfx/strafe/energy.jpg
		blendFunc GL_SRC_ALPHA GL_ONE
		tcMod scroll 0 0.9
		rgbGen const ( 0.45 0.6 1 )
		alphaGen wave inversesawtooth 0 1 0 1.65
	}
}

railExplosion
{
	cull none
	{
		map gfx/strafe/energy.jpg
		blendFunc GL_SRC_ALPHA GL_ONE
		tcMod scroll 0 1.2
		rgbGen entity
		alphaGen wave inversesawtooth 0 1 0 1.65
	}
}

bloodExplosion
{
	cull none
	{
		clampmap gfx/strafe/blood.tga
		blendFunc blend
		tcMod stretch sawtooth 0.5 0.6 0 2
		rgbGen identity
		alphaGen wave inversesawtooth 0 1 0 2
	}
}

bloodTrail
{
	cull none
	entityMergable
	{
		clampmap gfx/strafe/blood.tga
		blendFunc blend
		rgbGen vertex
	}
}

bloodMark
{
	polygonOffset
	{
		clampmap gfx/strafe/blood_mark.tga
		blendFunc blend
		rgbGen identityLighting
		alphaGen vertex
	}
}

viewBloodBlend
{
	sort nearest
	{
		clampmap gfx/strafe/blood.tga
		blendFunc blend
		rgbGen identityLighting
		alphaGen vertex
	}
}

waterBubble
{
	cull none
	entityMergable
	{
		clampmap gfx/strafe/bubble.tga
		blendFunc blend
		rgbGen vertex
	}
}

lightningBoltNew
{
	cull none
	{
		map gfx/strafe/bolt.jpg
		blendFunc add
		tcMod scroll -4.3 0
		rgbGen identity
	}
	{
		map gfx/strafe/bolt.jpg
		blendFunc add
		tcMod scale -1.3 1
		tcMod scroll -7.2 0
		rgbGen wave noise 0.7 0.3 0 20
	}
}

railCore
{
	cull none
	{
		map gfx/strafe/beam.jpg
		blendFunc add
		tcMod scroll -1 0
		rgbGen vertex
	}
}

railDisc
{
	cull none
	entityMergable
	{
		clampmap gfx/strafe/ring.jpg
		blendFunc add
		rgbGen vertex
	}
}

teleportEffect
{
	cull none
	{
		map gfx/strafe/column.jpg
		blendFunc add
		tcMod scroll 0.3 0
		rgbGen entity
	}
	{
		map gfx/strafe/column.jpg
		blendFunc add
		tcMod scale 1.6 1
		tcMod scroll -0.42 0
		rgbGen entity
	}
}

markShadow
{
	polygonOffset
	{
		clampmap gfx/strafe/soft_dark.jpg
		blendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR
		rgbGen exactVertex
	}
}

projectionShadow
{
	polygonOffset
	deformVertexes projectionShadow
	{
		map $whiteimage
		blendFunc blend
		rgbGen const ( 0 0 0 )
		alphaGen const 0.5
	}
}

wake
{
	cull none
	{
		clampmap gfx/strafe/wake.jpg
		blendFunc add
		tcMod stretch sin 0.9 0.1 0 0.7
		rgbGen vertex
	}
	{
		clampmap gfx/strafe/wake.jpg
		blendFunc add
		tcMod rotate 50
		rgbGen vertex
	}
}

gfx/damage/bullet_mrk
{
	polygonOffset
	{
		clampmap gfx/damage/bullet_mrk.jpg
		blendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR
		rgbGen exactVertex
	}
}

gfx/damage/burn_med_mrk
{
	polygonOffset
	{
		clampmap gfx/damage/burn_med_mrk.jpg
		blendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR
		rgbGen exactVertex
	}
}

gfx/damage/hole_lg_mrk
{
	polygonOffset
	{
		clampmap gfx/damage/hole_lg_mrk.jpg
		blendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR
		rgbGen exactVertex
	}
}

gfx/damage/plasma_mrk
{
	polygonOffset
	{
		clampmap gfx/damage/plasma_mrk.tga
		blendFunc blend
		rgbGen vertex
	}
}

gfx/misc/tracer
{
	cull none
	{
		clampmap gfx/strafe/beam.jpg
		blendFunc add
		rgbGen const ( 1 0.82 0.45 )
	}
}

sprites/plasma1
{
	cull none
	{
		clampmap gfx/strafe/flare.jpg
		blendFunc add
		rgbGen const ( 0.4 0.6 1 )
	}
	{
		clampmap gfx/strafe/spark.jpg
		blendFunc add
		tcMod rotate 320
		rgbGen const ( 0.4 0.5 1 )
	}
}

flareShader
{
	cull none
	{
		map gfx/strafe/flare.jpg
		blendFunc add
		rgbGen vertex
	}
}

sun
{
	cull none
	{
		map gfx/strafe/flare.jpg
		blendFunc add
		rgbGen identity
	}
}

disconnected
{
	cull none
	{
		clampmap gfx/strafe/disconnected.tga
		blendFunc blend
		rgbGen vertex
	}
}

white
{
	{
		map $whiteimage
		blendFunc blend
		rgbGen vertex
	}
}

lagometer
{
	nopicmip
	{
		clampmap gfx/strafe/lagometer.tga
		blendFunc blend
		rgbGen vertex
	}
}

levelShotDetail
{
	nopicmip
	{
		map gfx/strafe/detail.tga
		blendFunc blend
		rgbGen vertex
	}
}

console
{
	nopicmip
	nomipmaps
	{
		map gfx/strafe/menuback.jpg
		rgbGen identity
	}
}

menuback
{
	nopicmip
	nomipmaps
	{
		map gfx/strafe/menuback.jpg
		rgbGen identity
	}
}

menubacknologo
{
	nopicmip
	nomipmaps
	{
		map gfx/strafe/menuback.jpg
		rgbGen identity
	}
}
